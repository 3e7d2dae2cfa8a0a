package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// replay reads all that is good in f and cuts off what a crash tore.
func (j *Journal) replay(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	size := info.Size()
	if size < int64(headerSize) {
		return j.begin(f, size)
	}
	head := make([]byte, headerSize)
	if _, err := f.ReadAt(head, 0); err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	if string(head) != magic {
		return &CorruptError{j.path, 0, fmt.Sprintf("begins with %q, a journal with %q", head, magic)}
	}
	at := int64(headerSize)
	for at < size {
		payload, next, err := frameAt(f, at, size)
		if err != nil {
			return fmt.Errorf("journal %s: %w", j.path, err)
		}
		if payload == nil {
			if behind := soundBehind(f, at, size); behind >= 0 {
				return &CorruptError{j.path, at, fmt.Sprintf("a record that is damaged, with a sound one behind it at %d", behind)}
			}
			break
		}
		if err := j.play(payload); err != nil {
			return &CorruptError{j.path, at, err.Error()}
		}
		at = next
	}
	j.size = at
	if at == size {
		return nil
	}
	if err := errors.Join(f.Truncate(at), j.sync(f)); err != nil {
		return fmt.Errorf("journal %s: cut off a torn end: %w", j.path, err)
	}
	return nil
}

// begin makes a journal of a file that has not even a header: it is new, or the process died when it was.
func (j *Journal) begin(f *os.File, size int64) error {
	head := make([]byte, size)
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	if string(head) != magic[:size] {
		return &CorruptError{j.path, 0, fmt.Sprintf("begins with %q, a journal with %q", head, magic)}
	}
	if _, err := f.WriteAt(header(), 0); err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	if err := errors.Join(j.sync(f), syncParent(j.path)); err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	j.size = int64(headerSize)
	return nil
}

// frameAt returns the payload of the record at an offset and where the next one begins; no payload when there is no sound record.
func frameAt(f io.ReaderAt, at, size int64) (payload []byte, next int64, err error) {
	var frame [frameSize]byte
	if at+frameSize > size {
		return nil, 0, nil
	}
	if _, err := f.ReadAt(frame[:], at); err != nil {
		return nil, 0, err
	}
	n := int64(binary.LittleEndian.Uint32(frame[:4]))
	if n == 0 || n > maxPayload || at+frameSize+n > size {
		return nil, 0, nil
	}
	payload = make([]byte, n)
	if _, err := f.ReadAt(payload, at+frameSize); err != nil {
		return nil, 0, err
	}
	if crc32.Checksum(payload, table()) != binary.LittleEndian.Uint32(frame[4:]) {
		return nil, 0, nil
	}
	return payload, at + frameSize + n, nil
}

// soundBehind returns where a sound record follows one that is damaged, or -1. A crash tears only the end of a file: behind it there is
// none, by the length that the damaged record claims.
func soundBehind(f io.ReaderAt, at, size int64) int64 {
	var frame [4]byte
	if at+frameSize > size {
		return -1
	}
	if _, err := f.ReadAt(frame[:], at); err != nil {
		return -1
	}
	next := at + frameSize + int64(binary.LittleEndian.Uint32(frame[:]))
	if payload, _, err := frameAt(f, next, size); err != nil || payload == nil {
		return -1
	}
	return next
}

// play takes one record over.
func (j *Journal) play(payload []byte) error {
	_, dec, err := modes()
	if err != nil {
		return err
	}
	var r record
	if err := dec.Unmarshal(payload, &r); err != nil {
		return err
	}
	l := j.live[r.Peer]
	switch {
	case l == nil && len(r.Epoch) != len(live{}.epoch):
		return fmt.Errorf("a record of %q before its epoch", r.Peer)
	case l == nil:
		l = newLive([8]byte(r.Epoch))
		j.live[r.Peer] = l
	}
	l.apply(&r)
	return nil
}

// remember puts what the file says into memory.
func (j *Journal) remember() error {
	for peer, l := range j.live {
		for r := range l.records(peer) {
			if err := j.Memory.Apply(peer, r.batch()); err != nil {
				return err
			}
		}
	}
	return nil
}
