# Read by .ci/doc-coverage: a line for each fault, and last the figure. It keeps to what jq 1.6 can do.
#
# What counts is what the library declares and its users see. Not counted, because nobody wrote it or somebody else has
# documented it: what the compiler makes (it has no place in a file), what carries out a requirement of a protocol (the
# graph names its origin, or calls it a default implementation), and extensions as such.

# The first paragraph, as docc sees it: up to an empty line, a list, a heading or a block of code.
def abstract:
  [.docComment.lines[].text]
  | (map(test("^\\s*($|[-*+] |[0-9]+\\. |#|```)")) | index(true)) as $past
  | .[:($past // length)] | map(gsub("^\\s+|\\s+$"; "")) | join(" ");

def fault:
  if . == "" then "no documentation"
  elif length > 150 then "an abstract of \(length) characters; 150 are the most"
  elif test("[.!?][\"')`]*\\s+[\"'(`]*[A-Z]") then "an abstract of several sentences; an empty line ends the first"
  elif test("[.!?][\"')`]*$") | not then "an abstract that does not end as a sentence does"
  else empty end;

(map(.relationships[] | select(.sourceOrigin or .kind == "defaultImplementationOf") | .source)) as $elsewhere
| map(.symbols[]
  | select(.location and .kind.identifier != "swift.extension")
  | select(.identifier.precise | IN($elsewhere[]) | not)
  | {
    place: "\(.location.uri | ltrimstr("file://") | ltrimstr($root)):\(.location.position.line + 1)",
    order: [.location.uri, .location.position.line],
    name: (.pathComponents | join(".")),
    # A comment that came with the symbol from elsewhere is none of ours.
    abstract: (if .docComment and (.docComment.module // $name) == $name then abstract else "" end)
  })
| length as $all
| (map(select(.abstract != "")) | length) as $documented
| (sort_by(.order)[] | . as $symbol | .abstract | fault | "\($symbol.place): \($symbol.name): \(.)"),
  # Rounded down, so that 100 % is all of them.
  "\($name): \($documented) of \($all) public symbols are documented, \($documented * 100 / ([$all, 1] | max) | floor) %"
