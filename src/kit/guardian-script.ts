// What the guardian does, for any POSIX shell. Lines are `+ group start marker` and `- …` for the same; nothing of them
// is ever run. A group is signalled only while it is proven: its leader was seen with that start. What left the group is
// found by the marker it was started with.

/** `$1`: where the kernel shows processes. */
export const guardianScript = `
proc=$1 list= proven=' '
nl='
'
IFS=$nl
set -f
trap '' HUP INT TERM

while IFS= read -r line; do
  case $line in
  '+ '*) list=$list\${line#+ }$nl ;;
  '- '*)
    rest=
    for each in $list; do
      [ "$each" = "\${line#- }" ] || rest=$rest$each$nl
    done
    list=$rest ;;
  esac
done

started() {
  if [ -d "$proc/self" ]; then
    stat=$(cat "$proc/$1/stat" 2>/dev/null) || return
    IFS=' '
    set -- \${stat##*) }
    IFS=$nl
    echo "\${20}"
  else
    ps -o lstart= -p "$1" | sed 's/ *$//; s/  */_/g'
  fi
}

# Answers by \`some\` whether anybody was there to get it.
signal() {
  some=
  for each in $list; do
    group=\${each%% *} rest=\${each#* }
    start=\${rest%% *} marker=\${rest#* }
    case $proven in
    *" $group "*) ;;
    *) [ "$(started "$group")" = "$start" ] && proven="$proven$group " ;;
    esac
    case $proven in
    *" $group "*)
      if kill -s "$1" -- "-$group" 2>/dev/null; then some=1
      else proven=\${proven%%" $group "*}' '\${proven#*" $group "}; fi ;;
    esac
    [ -n "$marker" ] || continue
    set +f
    for file in $(grep -slzFx -e "HARNESS_PROCESS=$marker@$group" "$proc"/[0-9]*/environ 2>/dev/null); do
      pid=\${file#"$proc/"}
      kill -s "$1" "\${pid%/environ}" 2>/dev/null && some=1
    done
    set -f
  done
}

[ -n "$list" ] || exit 0
signal TERM
signal CONT
n=0
while [ $n -lt 20 ]; do
  signal 0
  [ -n "$some" ] || exit 0
  sleep 0.1
  n=$((n + 1))
done
n=0
while [ $n -lt 20 ]; do
  signal KILL
  [ -n "$some" ] || exit 0
  sleep 0.1
  n=$((n + 1))
done
`;
