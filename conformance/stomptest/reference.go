package stomptest

import (
	"context"
	"errors"
)

func reference(ctx context.Context) (string, func(), error) {
	return "", nil, errors.New("pending")
}
