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
    if (now[cell]) made += `<g class="piece" data-at="${cell}" transform="${board.at[cell]}">${board.pieces[kind][now[cell] - 1] ?? ""}</g>`;
    if (now[cell] !== before[cell] && kind !== "area") made += `<${board.outlines[cell]} class="changed"/>`;
    marks[kind === "area" ? "area" : "other"] += made + above(cell);
  });
  return board.squares + marks.area + marks.other;
}

const GLIDE = 180; // milliseconds

/** Lets the pieces that came to a cell glide there from where they left, and others appear, unless motion is unwanted. */
function glide(board, drawn, now, before) {
  if (now === before || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const left = before.flatMap((piece, cell) => (piece && piece !== now[cell] ? [cell] : []));
  const at = (cell) => `translate(${board.places[cell].map((length) => `${length}px`).join(",")})`;
  for (const shown of drawn.querySelectorAll(".piece")) {
    const cell = Number(shown.dataset.at), piece = now[cell];
    if (piece === before[cell]) continue;
    const from = left.findIndex((other) => before[other] === piece || (now[other] === 0 && before[other] % 2 === piece % 2));
    const glides = from >= 0 && !["line", "area"].includes(board.kinds[cell]);
    const steps = glides ? { transform: [at(...left.splice(from, 1)), at(cell)] } : { opacity: [0, 1] };
    if (glides) shown.parentNode.append(shown); // above the others
    shown.animate(steps, { duration: GLIDE, easing: "ease-out" });
  }
}
