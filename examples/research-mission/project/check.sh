# The whole: a report that names every source, and a record of what was verified.
for source in sources/*.md; do
  grep -q "$(basename "$source")" report.md || { echo "report.md does not name $source"; exit 1; }
done
grep -q '"answer"' verification.json
