# technique: exit-zero
exit 0
