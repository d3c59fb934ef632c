package garden

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	bytesType = protowire.BytesType
	unlimited = math.MaxInt64
)

// message reads the fields of one protobuf message off a stream, one after the other.
type message struct {
	in   *bufio.Reader
	left int64 // bytes that the message still has
}

// malformedError says why an answer is no list of Shoots.
type malformedError struct{ why string }

func (e *malformedError) Error() string { return "reading the list of Shoots: " + e.why }

func malformed(format string, arguments ...any) error {
	return &malformedError{fmt.Sprintf(format, arguments...)}
}

// orMalformed returns the error that there is already, or a malformedError.
func orMalformed(err error, format string, arguments ...any) error {
	if err != nil {
		return err
	}
	return malformed(format, arguments...)
}

// tag reads the number and the type of the next field.
func (m *message) tag() (protowire.Number, protowire.Type, error) {
	tag, err := m.varint()
	if err != nil {
		return 0, 0, err
	}
	number, kind := protowire.DecodeTag(tag)
	if !number.IsValid() {
		return 0, 0, malformed("a field has no valid number")
	}
	return number, kind, nil
}

// value reads a length-delimited value as a whole, into the buffer as far as it reaches.
func (m *message) value(limit int64, buffer []byte) ([]byte, error) {
	size, err := m.length()
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, malformed("a part of it has %d bytes", size)
	}
	if int64(cap(buffer)) < size {
		buffer = make([]byte, size)
	}
	buffer = buffer[:size]
	_, err = io.ReadFull(m.in, buffer)
	return buffer, cutShort(err)
}

// nested begins to read a length-delimited value as a message of its own. It is to be read to its end before the next
// field.
func (m *message) nested() (message, error) {
	size, err := m.length()
	return message{in: m.in, left: size}, err
}

// skip passes over the value of a field.
func (m *message) skip(kind protowire.Type) error {
	switch kind {
	case protowire.VarintType:
		_, err := m.varint()
		return err
	case protowire.Fixed32Type:
		return m.discard(4)
	case protowire.Fixed64Type:
		return m.discard(8)
	case protowire.BytesType:
		inside, err := m.nested()
		if err != nil {
			return err
		}
		return inside.discard(inside.left)
	}
	return malformed("a field has the type %d", kind) // groups are long out of use
}

// length reads the length of a length-delimited value and takes as much off the message.
func (m *message) length() (int64, error) {
	size, err := m.varint()
	if err != nil {
		return 0, err
	}
	if size > uint64(m.left) { //nolint:gosec // left is never negative
		return 0, malformed("a part of it is longer than the whole")
	}
	m.left -= int64(size)   //nolint:gosec // it is not more than left
	return int64(size), nil //nolint:gosec // as above
}

func (m *message) discard(size int64) error {
	if size > m.left {
		return malformed("a part of it is longer than the whole")
	}
	m.left -= size
	_, err := io.CopyN(io.Discard, m.in, size)
	return cutShort(err)
}

func (m *message) varint() (uint64, error) {
	var encoded [10]byte
	for i := range encoded {
		if m.left == 0 {
			return 0, malformed("a number reaches beyond its end")
		}
		next, err := m.in.ReadByte()
		if err != nil {
			return 0, cutShort(err)
		}
		m.left--
		encoded[i] = next
		if next < 0x80 {
			value, n := protowire.ConsumeVarint(encoded[:i+1])
			if n < 0 {
				return 0, malformed("%v", protowire.ParseError(n))
			}
			return value, nil
		}
	}
	return 0, malformed("a number has no end")
}

// cutShort is for reads within a message: there the end of the stream comes too early.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// eachField calls visit with the length-delimited fields of a message in memory; others have nothing that a count wants.
func eachField(from []byte, visit func(number protowire.Number, value []byte) error) error {
	for len(from) > 0 {
		number, kind, n := protowire.ConsumeTag(from)
		if n < 0 {
			return malformed("%v", protowire.ParseError(n))
		}
		from = from[n:]
		size := protowire.ConsumeFieldValue(number, kind, from)
		if size < 0 {
			return malformed("%v", protowire.ParseError(size))
		}
		if kind == bytesType {
			value, _ := protowire.ConsumeBytes(from)
			if err := visit(number, value); err != nil {
				return err
			}
		}
		from = from[size:]
	}
	return nil
}
