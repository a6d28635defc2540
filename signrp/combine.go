package signrp

// combine sets table[16h+l] = high[h] + low[l], written out because the tables
// are the inner loop of every Rademacher projection.
func combine(table *[256]float64, low, high *[16]float64) {
	for h, top := range high {
		row := (*[16]float64)(table[16*h:])
		row[0] = top + low[0]
		row[1] = top + low[1]
		row[2] = top + low[2]
		row[3] = top + low[3]
		row[4] = top + low[4]
		row[5] = top + low[5]
		row[6] = top + low[6]
		row[7] = top + low[7]
		row[8] = top + low[8]
		row[9] = top + low[9]
		row[10] = top + low[10]
		row[11] = top + low[11]
		row[12] = top + low[12]
		row[13] = top + low[13]
		row[14] = top + low[14]
		row[15] = top + low[15]
	}
}
