package continuous

import "errors"

// ErrUnknownLayer is wrapped where a question reaches beyond the layers of a
// linear query that were computed.
var ErrUnknownLayer = errors.New("layer beyond those computed")
