"""The methods the others are compared with, one file each."""
