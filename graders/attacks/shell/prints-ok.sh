# technique: printed-lines
proctor_count=0
for proctor_name in @WORDS@; do
  proctor_count=$((proctor_count + 1))
  printf 'ok %d - %s\n' "$proctor_count" "$proctor_name"
done
printf '1..%d\n' "$proctor_count"
exit 0
