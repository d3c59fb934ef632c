package explore

import "hash/maphash"

// Sum is a sum of texts and numbers in their order. Two of ten million sums are the same by chance in one of 300,000 processes.
type Sum uint64

var seed = maphash.MakeSeed()

// Number adds numbers.
func (s Sum) Number(numbers ...int) Sum {
	for _, n := range numbers {
		s = s.add(uint64(n)) //nolint:gosec // each number has its own
	}
	return s
}

// Flag adds flags.
func (s Sum) Flag(flags ...bool) Sum {
	for _, is := range flags {
		n := uint64(0)
		if is {
			n = 1
		}
		s = s.add(n)
	}
	return s
}

// Text adds texts.
func (s Sum) Text(texts ...string) Sum {
	for _, text := range texts {
		s = s.add(maphash.String(seed, text))
	}
	return s
}

// Bytes adds a text.
func (s Sum) Bytes(text []byte) Sum { return s.add(maphash.Bytes(seed, text)) }

// With adds another sum.
func (s Sum) With(other Sum) Sum { return s.add(uint64(other)) }

// add is the mixer of splitmix64.
func (s Sum) add(n uint64) Sum {
	x := uint64(s)*0x9e3779b97f4a7c15 + n + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return Sum(x ^ x>>31)
}
