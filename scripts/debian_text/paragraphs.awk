# The paragraphs of LibreOffice's help pages (XHTML), one a line: PAGE#ID TAB TEXT, for every paragraph and heading that has an
# id. Paragraphs of the same page and id in two languages are translations of each other.
#
# usage, in the folder of one language: awk -f paragraphs.awk PAGE.html...

BEGIN { RS = "\001" }  # a page is one record: the pages hold no such byte

function plain(text) {
  gsub(/<br[^>]*>/, " ", text)
  gsub(/<[^>]*>/, "", text)
  gsub(/&lt;/, "<", text)
  gsub(/&gt;/, ">", text)
  gsub(/&quot;/, "\"", text)
  gsub(/&#39;|&apos;/, "'", text)
  gsub(/&nbsp;|&#160;|\302\240/, " ", text)
  gsub(/&amp;/, "\\&", text)
  gsub(/[ \t\r\n]+/, " ", text)
  sub(/^ /, "", text)
  sub(/ $/, "", text)
  return text
}

{
  page = $0
  while (match(page, /<(p|h[1-6]) id="[A-Za-z0-9_]+"[^>]*>/)) {
    tag = substr(page, RSTART, RLENGTH)
    page = substr(page, RSTART + RLENGTH)
    closing = "</" substr(tag, 2, index(tag, " ") - 2) ">"
    end = index(page, closing)
    if (end == 0) continue
    sub(/^[^"]*"/, "", tag)
    sub(/".*$/, "", tag)
    text = plain(substr(page, 1, end - 1))
    if (text != "") print FILENAME "#" tag "\t" text
    page = substr(page, end)
  }
}
