package study

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// moment is a time as the tables hold it: in UTC, to the microsecond. SQLite
// has text for times; it is written as Optuna writes it, which older Pythons
// read too.
type moment struct {
	time.Time
	damage string // what stands in its place; "" is nothing
}

func now() *moment { return &moment{Time: time.Now().UTC().Truncate(time.Microsecond)} }

// GormDataType implements gorm's schema.GormDataTypeInterface.
func (moment) GormDataType() string { return "time" }

// GormValue implements gorm.Valuer.
func (m moment) GormValue(_ context.Context, db *gorm.DB) clause.Expr {
	return clause.Expr{SQL: "?", Vars: []any{m.column(db.Name())}}
}

// column returns what a database of a dialect is given.
func (m moment) column(dialect string) any {
	if dialect == "sqlite" {
		return m.Format("2006-01-02 15:04:05.000000")
	}
	return m.Time
}

// Scan implements sql.Scanner. It takes whatever stands there.
func (m *moment) Scan(v any) error {
	*m = moment{}
	switch v := v.(type) {
	case time.Time:
		m.Time = v
	case []byte:
		m.damage = fmt.Sprintf("the text %.40q", v)
	default:
		m.damage = fmt.Sprintf("%.40q", fmt.Sprint(v))
	}
	return nil
}
