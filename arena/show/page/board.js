/**
 * The SVG of a position: cells that changed are framed, and pieces stand on them.
 *
 * All of it is arena's own SVG with texts escaped, or an author's of which only shapes and texts were kept.
 * below, above: further SVG of each cell, under its piece and over it.
 */
function boardSvg(board, now, before, below = () => "", above = () => "") {
  const marks = { area: "", other: "" }; // areas are below what is around them
  board.kinds.forEach((kind, cell) => {
    let made = below(cell);
    if (now[cell]) made += `<g class="piece" transform="${board.at[cell]}">${board.pieces[kind][now[cell] - 1] ?? ""}</g>`;
    if (now[cell] !== before[cell]) made += `<${board.outlines[cell]} class="changed"/>`;
    marks[kind === "area" ? "area" : "other"] += made + above(cell);
  });
  return board.squares + marks.area + marks.other;
}
