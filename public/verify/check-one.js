// Verifies one signal against the ledger in the browser: its seal, its positions in the tree, the signature of the head,
// and its outcome. Everything is fetched from this site and computed here with WebCrypto.
let form;
let list;
const bytes = new TextEncoder();

const hash = async (...parts) => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
};
const toHex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// Canonical JSON (RFC 8785): sorted names; numbers and texts as JSON.stringify writes them.
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

class Mismatch extends Error {}
const must = (holds, words) => {
  if (!holds) throw new Mismatch(words);
};

async function ask(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path.split("?")[0]} answered ${answer.status}`);
  return answer;
}
const json = async (path) => (await ask(path)).json();

// The root of the tree from one leaf and its path (RFC 9162, section 2.1.3.2).
async function rootOf(leaf, index, size, path) {
  const node = (left, right) => hash(Uint8Array.of(1), left, right);
  let [at, last, root] = [index, size - 1, leaf];
  for (const sibling of path.map(fromHex)) {
    must(last > 0, "the path of the proof is too long");
    if (at % 2 === 1 || at === last) {
      root = await node(sibling, root);
      while (at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    } else root = await node(root, sibling);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  must(last === 0, "the path of the proof is too short");
  return root;
}

async function readHead() {
  const [key, note] = await Promise.all([
    json("/.well-known/signal-ledger"),
    ask("/api/public/ledger/checkpoint").then((answer) => answer.text()),
  ]);
  const split = note.indexOf("\n\n");
  const text = note.slice(0, split + 1);
  const [origin, size, root] = text.split("\n");
  must(origin === key.origin, "the head is of another ledger");
  const line = note.slice(split + 2).split("\n").find((one) => one.startsWith(`— ${origin} `));
  must(line, "the head carries no signature of this ledger");
  const signature = fromBase64(line.split(" ")[2]).slice(4);
  const head = { size: Number(size), root: toHex(fromBase64(root)), isSigned: null };
  try {
    const name = { name: "Ed25519" };
    const publicKey = await crypto.subtle.importKey("raw", fromBase64(key.public_key), name, false, ["verify"]);
    head.isSigned = await crypto.subtle.verify(name, publicKey, signature, bytes.encode(text));
  } catch {
    // This browser does not support Ed25519.
  }
  return head;
}

async function readEntry(index, head) {
  const [{ items }, proof] = await Promise.all([
    json(`/api/public/ledger/entries?start=${index}&end=${index}`),
    json(`/api/public/ledger/proof?entry=${index}&size=${head.size}`),
  ]);
  must(items.length === 1, `entry ${index} is not there`);
  const leaf = await hash(Uint8Array.of(0), bytes.encode(items[0].content));
  must(toHex(await rootOf(leaf, index, head.size, proof.path)) === head.root, `entry ${index} is not in the tree`);
  return JSON.parse(items[0].content);
}

// Which of entry + D and entry - D the later candles reach first.
async function labelFrom(signal, outcome) {
  const slot = new URLSearchParams({ symbol: signal.symbol, tf_code: signal.timeframe });
  const answer = await fetch(`/api/public/candles?${slot}&from=${signal.ts}&to=${outcome.horizon_end}`);
  if (!answer.ok) return null;
  const [own, ...later] = (await answer.json()).items;
  const watched = later.slice(0, outcome.horizon_candles);
  must(own?.close === outcome.entry_price, "the entry is not the close of the signal's candle");
  must(watched.length === outcome.horizon_candles, "candles of the horizon are missing");
  for (const { high, low } of watched) {
    const [above, below] = [high >= own.close + outcome.distance, low <= own.close - outcome.distance];
    if (above || below) return above && below ? "NO_TRADE" : above ? "BUY" : "SELL";
  }
  return "NO_TRADE";
}

function say(state, words) {
  const item = document.createElement("li");
  item.dataset.state = state;
  const mark = document.createElement("span");
  mark.className = { holds: "text-up", fails: "text-danger", open: "text-muted" }[state];
  mark.textContent = { holds: "✓ ", fails: "✗ ", open: "– " }[state];
  item.append(mark, words);
  list.append(item);
}

async function check(given) {
  let places = given;
  if (places === null) {
    const { items } = await json("/api/public/signals?order=newest&limit=1");
    if (items.length === 0) return say("open", "No signal is resolved yet.");
    places = items[0].entries;
  }
  const head = await readHead();
  must(head.isSigned !== false, "the signature of the head does not fit");
  if (head.isSigned) say("holds", `The head of the ledger, ${head.size.toLocaleString("en-US")} entries, is signed with its key.`);
  else say("open", "This browser does not know Ed25519, so that the signature of the head was not checked.");

  const reveal = await readEntry(places.reveal, head);
  const { signal } = reveal;
  const name = `Signal ${signal?.seq}`;
  must(reveal.kind === "reveal" && signal, `entry ${places.reveal} reveals no signal`);
  say(
    "holds",
    `${name} is in the tree as entry ${places.reveal}: ${signal.symbol} ${signal.timeframe}, candle of ${signal.ts}, ${signal.signal} at ${(100 * signal.confidence).toFixed(1)} %.`,
  );

  const outcome = await readEntry(places.outcome, head);
  must(outcome.kind === "outcome" && outcome.subject === reveal.subject, "the outcome is of another signal");
  if (places.commitment === null || reveal.salt === null)
    say("open", "It was entered later: no seal of it was made, so this proves nothing about its time.");
  else {
    const sealed = await readEntry(places.commitment, head);
    const seal = toHex(await hash(fromHex(reveal.salt), bytes.encode(canonical(signal))));
    must(sealed.subject === reveal.subject && sealed.commitment === seal, "the seal does not fit what was revealed");
    say("holds", `Salt and content give the hash that was committed in entry ${places.commitment}, at ${sealed.at}.`);
    const isBefore = outcome.horizon_end === undefined || sealed.at < outcome.horizon_end;
    must(isBefore, "it was committed only after its horizon was over");
    const isInTime = Date.parse(sealed.at) < 2 * Date.parse(signal.closes_at) - Date.parse(signal.ts);
    if (reveal.simulated) say("open", "Its market is simulated: nothing there is committed in time.");
    else if (isInTime) say("holds", "It was committed in time: before the next candle had closed.");
    else say("open", "It was entered later: the next candle had closed. It is in no figure.");
  }

  if (outcome.label === null) return say("open", "There was too little history to judge it.");
  const label = await labelFrom(signal, outcome);
  if (label === null) return say("open", `What came, ${outcome.label}, is in entry ${places.outcome}; the candles are not public here.`);
  must(label === outcome.label, `the candles say ${label}, the ledger says ${outcome.label}`);
  const result = outcome.result_r === null ? "" : `, ${(outcome.result_r / 1e6).toFixed(3)} R after costs`;
  say("holds", `The candles that followed say ${label}, as entry ${places.outcome} does${result}.`);
}

// `?entries=commitment,reveal,outcome`, from the links of a slot's record; a signal without a commitment has an empty
// first part.
function asked() {
  const given = new URLSearchParams(location.search).get("entries") ?? "";
  if (!/^[0-9]{0,12},[0-9]{1,12},[0-9]{1,12}$/.test(given)) return null;
  const [commitment, reveal, outcome] = given.split(",");
  return { commitment: commitment === "" ? null : Number(commitment), reveal: Number(reveal), outcome: Number(outcome) };
}

async function run(places) {
  list.replaceChildren();
  form.querySelector("button").disabled = true;
  try {
    if (!crypto.subtle) say("open", "Browsers check hashes only on pages with TLS or on this machine. Use the program above.");
    else await check(places);
  } catch (error) {
    if (error instanceof Mismatch) say("fails", `This does not fit: ${error.message}.`);
    else say("open", `The check could not be finished: ${error.message}.`);
  }
  form.querySelector("button").disabled = false;
}

function begin() {
  form = document.querySelector("[data-check-one]");
  list = document.querySelector("[data-check-steps]");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run(null);
  });
  if (!asked()) return;
  form.scrollIntoView({ block: "center" });
  run(asked());
}

// With a cached script this may run before the page is parsed.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
