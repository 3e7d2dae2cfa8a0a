// Package signal is what the tabs of one cluster tell each other over their channel: frames of four types, and their JSON form.
//
// A [Control] and a [RouteReleased] are addressed to one worker, an [Event] and a [Registry] to all (DATABUS-CONTROL-001). Frames are kept
// nowhere, are not acknowledged and may be lost; those of one sender arrive in order (DATABUS-EVENT-002). [Encode] and [Decode] go between
// frames and octets; a frame of a type that is not one of the four is an [Unknown], for its reader to decide about (DATABUS-CONTROL-005).
//
// Frames are values. Whoever gets one must not change the octets in it.
package signal
