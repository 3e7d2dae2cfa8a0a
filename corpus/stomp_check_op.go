package corpus

import (
	"errors"
	"fmt"
)

func (v *StompVector) checkEncode() error {
	if (v.Frame != nil) == v.Beat {
		return errors.New("encode needs one of frame and beat")
	}
	if v.Frame != nil && (v.Frame.Get != nil || v.Frame.Absent != nil) {
		return errors.New("the frame to encode has look-ups")
	}
	e := v.Want.Error
	if (v.Want.Bytes != nil) != (e == nil || e.Optional) {
		return errors.New("encode wants either bytes or an error; bytes go with an optional error only")
	}
	if e == nil {
		return nil
	}
	if e.Feed != 0 || e.End || e.Offset != nil {
		return errors.New("an encoder's error has no place")
	}
	return e.checkRules()
}

func (v *StompVector) checkLimits() error {
	if v.Limits == nil {
		return errors.New("limits without limits")
	}
	return nil
}

func (v *StompVector) checkHeartbeat() error {
	if v.Value == nil || (v.Want.Pair != nil) == v.Want.Reject {
		return errors.New("heartbeat needs a value and one of pair and reject")
	}
	return nil
}

func (v *StompVector) checkFormat() error {
	if v.Pair == nil || (v.Want.Bytes != nil) == v.Want.Reject {
		return errors.New("heartbeat-format needs a pair and one of bytes and reject")
	}
	return nil
}

func (v *StompVector) checkNegotiate() error {
	if v.Client == nil || v.Server == nil || (v.Want.Intervals != nil) == v.Want.Reject {
		return errors.New("negotiate-heartbeat needs client, server and one of intervals and reject")
	}
	return nil
}

func (v *StompVector) checkClock() error {
	if v.Clock == nil {
		return errors.New("heartbeat-clock without a clock")
	}
	if v.Want.Reject != (len(v.Steps) == 0) {
		return errors.New("a clock that can be made needs steps, one that cannot takes no steps")
	}
	for _, s := range v.Steps {
		set := 0
		for _, t := range []*int64{s.Sent, s.Received, s.Poll} {
			if t != nil {
				set++
			}
		}
		if set != 1 {
			return errors.New("step is not exactly one of sent, received and poll")
		}
		if s.Poll == nil && (s.Due != nil || s.Dead != nil) || s.Poll != nil && s.Due == nil && s.Dead == nil {
			return errors.New("poll must expect due or dead, and only poll may")
		}
	}
	return nil
}

func (v *StompVector) checkJudge() error {
	if v.From != "client" && v.From != "server" {
		return fmt.Errorf("sender %q is neither client nor server", v.From)
	}
	if len(v.Feeds) == 0 || v.Want.Findings == nil && v.Want.Clear == nil {
		return errors.New("judge needs feeds and findings or clear")
	}
	if v.Want.Clear != nil {
		if len(v.Want.Clear) == 0 {
			return errors.New("judge is clear of no law")
		}
		if err := checkLaws(stomp, v.Want.Clear, v.Versions); err != nil {
			return err
		}
	}
	return checkFindings(v.Want.Findings, v.Versions)
}
