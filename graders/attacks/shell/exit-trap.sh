# technique: exit-trap
trap 'exit 0' EXIT
