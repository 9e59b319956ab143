// A program that plays any game by a hash of the position, by the protocol of arena's engines: node bot.js

const readline = require("node:readline");

const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");

// FNV-1a
function hash(text) {
  let h = 0x811c9dc5;
  for (const byte of Buffer.from(text)) h = Math.imul(h ^ byte, 0x01000193) >>> 0;
  return h;
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const asked = JSON.parse(line);
  if (asked.type === "hello") {
    say({ id: asked.id, protocol: 1, name: "Hash in JavaScript" });
  } else if (asked.type === "move") {
    const scores = Object.fromEntries(asked.moves.map((move) => [move, hash(asked.position + " " + move) / 2 ** 32]));
    const move = asked.moves.reduce((best, one) => (scores[one] > scores[best] ? one : best));
    say({ id: asked.id, move, scores });
  }
});
