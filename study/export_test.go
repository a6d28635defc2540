package study

import "gorm.io/gorm"

// DB returns the connection, for tests that look at the tables.
func (s *Storage) DB() *gorm.DB { return s.db }
