package study

import "github.com/c-bata/goptuna"

// view is a storage that knows the name and direction of one study already:
// what goptuna's Study asks for when it is loaded.
type view struct {
	*Storage
	id        int
	name      string
	direction goptuna.StudyDirection
}

func (s *Storage) view(id int, name string, direction goptuna.StudyDirection) *view {
	return &view{s, id, name, direction}
}

// GetStudyIDFromName implements goptuna.Storage.
func (v *view) GetStudyIDFromName(string) (int, error) { return v.id, nil }

// GetStudyDirection implements goptuna.Storage.
func (v *view) GetStudyDirection(int) (goptuna.StudyDirection, error) { return v.direction, nil }
