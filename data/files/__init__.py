"""Files as they are: lines, records, and fields read with checks that say where and what is wrong."""
