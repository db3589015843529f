// Checks the public record of a signal delivery service without trusting it: node verify.mjs https://the.service [vkey] [--head SIZE:ROOT]... [--receipt FILE]...
// Downloads the signed checkpoint, every entry of the ledger, the resolved signals and the candles; checks the signature, the tree, the commitments and their
// times, the models' claims, every outcome, every figure of the record and of the calibration. Ends with 0 when everything that was committed in time was checked
// and is right, with 1 when something is wrong, and names it, with 2 when it could not read everything, with 3 when nothing is proved yet. --head: a head of the ledger from a mail, a message or the portal,
// which today's ledger has to contain. --receipt: an answer saved by `curl -si URL -H "X-API-Key: KEY" -o FILE`. Keep the vkey that it prints.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
const many = { type: "string", multiple: true, default: [] };
const { values: kept, positionals: [service, knownKey] } = parseArgs({ allowPositionals: true, options: { head: many, receipt: many } });
const base = (service ?? "http://localhost:3000").replace(/\/+$/, "");
const faults = new Map();
const fault = (where, what) => faults.has(where) || faults.set(where, what);
/** The service, the network or a file could not be read: no statement about the record. */
class Unreadable extends Error {}
process.on("uncaughtException", (error) => {
  if (!(error instanceof Unreadable)) fault("verification", `cannot go on: ${error.message}`);
  report(2, error instanceof Unreadable && error.message);
  process.exit();
});
const sha = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const nodeHash = (left, right) => sha(Buffer.of(1), left, right);
const pause = (seconds) => setTimeout(1000 * seconds);
const total = (list, of) => list.reduce((sum, one) => sum + of(one), 0);
const parse = (text) => { try { return JSON.parse(text); } catch { return {}; } };
const canonical = (value) => Array.isArray(value) ? `[${value.map(canonical).join(",")}]` : typeof value !== "object" || value === null ? JSON.stringify(value)
  : `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
/** Status, `Retry-After` and text of an answer. A connection that fails is tried five times. */
async function load(path, tries = 5) {
  try {
    const answer = await fetch(base + path);
    return { status: answer.status, wait: Number(answer.headers.get("retry-after") ?? 2), text: await answer.text() };
  } catch (error) {
    if (tries === 1) throw new Unreadable(`GET ${path}: ${error.cause?.code ?? error.message}`);
    return pause(2).then(() => load(path, tries - 1));
  }
}
async function get(path, may404 = false) {
  const { status, wait, text } = await load(path);
  if (status === 200 || (status === 404 && may404)) return status === 200 ? text : "null";
  if (status !== 429 && status !== 503) throw new Unreadable(`GET ${path} answered ${status}: ${text.slice(0, 300)}`);
  return pause(wait).then(() => get(path, may404));
}
async function json(path, may404) {
  const text = await get(path, may404);
  try { return JSON.parse(text); } catch (error) { throw new Unreadable(`GET ${path}: ${error.message}`); }
}
// ---- Signature: a signed note (c2sp.org/signed-note) over origin, size and root (c2sp.org/tlog-checkpoint).
const { vkey: servedKey } = await json("/.well-known/signal-ledger");
const vkey = knownKey ?? servedKey;
const [, origin, keyId, keyText] = /^(.+)\+([0-9a-f]{8})\+(.+)$/.exec(vkey) ?? [];
const keyBytes = Buffer.from(keyText ?? "", "base64");
if (sha(`${origin}\n`, keyBytes).subarray(0, 4).toString("hex") !== keyId) fault("key", "its id is not its hash");
/** Whether one of some keys, raw and in base64, has signed a text. */
const signedBy = (keys, text, signature) => keys.some((key) => verify(null, Buffer.from(text), createPublicKey({
  key: Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), Buffer.from(key, "base64")]), format: "der", type: "spki" }), signature));
const rawKeyOf = (vkey) => Buffer.from(/\+[0-9a-f]{8}\+(.+)$/.exec(vkey)?.[1] ?? "", "base64").subarray(1).toString("base64");
async function readCheckpoint() {
  const note = await get("/api/public/ledger/checkpoint");
  const [text, signatures] = [note.slice(0, note.indexOf("\n\n") + 1), note.slice(note.indexOf("\n\n") + 2).split("\n")];
  const signature = Buffer.from((signatures.find((line) => line.startsWith(`— ${origin} `)) ?? "").slice(origin.length + 3), "base64");
  const [name, size, root] = text.split("\n");
  if (name !== origin) throw new Error(`the checkpoint is that of ${name}, and the key that of ${origin}`);
  return { size: Number(size), root: Buffer.from(root, "base64"), isSignedBy: (keys) => signedBy(keys, text, signature.subarray(4)) };
}
const begun = Date.now();
const [record, calibration, models] = [await json("/api/public/record"), await json("/api/public/calibration"), await json("/api/public/models")];
const newest = Math.max(record.ledger_size, calibration.ledger_size, models.ledger_size);
let checkpoint = await readCheckpoint();
for (let i = 0; checkpoint.size < newest && i < 45; i++) { await pause(2); checkpoint = await readCheckpoint(); }
const { size } = checkpoint;
if (size < newest) fault("checkpoint", `covers ${size} entries of ${newest}`);
// ---- Tree (RFC 6962): every leaf, every subtree, the root.
const entries = [];
for (let items = [0]; entries.length < size && items.length > 0; entries.push(...items))
  ({ items } = await json(`/api/public/ledger/entries?start=${entries.length}&end=${Math.min(size, entries.length + 1000) - 1}`));
// Only a key that this one handed over to may have signed otherwise, and then the entries are there.
if (entries.length < size && !checkpoint.isSignedBy([rawKeyOf(servedKey)])) throw new Error("the signature of the checkpoint does not hold");
if (entries.length < size) throw new Error(`the ledger ends at entry ${entries.length} of ${size}`);
const [leafOf, later] = [({ content }) => sha(Buffer.of(0), String(content)), []];
const leaves = entries.map(leafOf);
const nameOf = (i, entry = entries[i] ?? later[i - size]) => `entry ${i} (${entry?.kind} ${entry?.subject})`;
const differ = (i, said, made, shown, but) => Object.entries(made).forEach(([name, value]) =>
  (name in said && canonical(said[name] ?? null) === canonical(value ?? null)) || fault(nameOf(i), `${name} ${shown} ${said[name]}, ${but} ${value}`));
const split = (from, to) => from + 2 ** Math.ceil(Math.log2(to - from) - 1);
const rootOf = (from, to) => to - from === 1 ? leaves[from] : nodeHash(rootOf(from, split(from, to)), rootOf(split(from, to), to));
for (const [i, { index, leaf_hash: hash }] of entries.entries())
  if (index !== i || hash !== leaves[i].toString("hex")) fault(nameOf(i), "its content is not what its leaf is the hash of, or its place another");
/** The first leaf that is not the one in the signed tree, by the proofs of its neighbours. */
async function findForeign(from, to) {
  const [beside, others] = [[], (await json(`/api/public/ledger/proof?entry=${from}&size=${size}`)).path.map((hash) => Buffer.from(hash, "hex"))];
  for (let [a, b, middle] = [0, size]; b - a > 1; [a, b] = from < middle ? [a, middle] : [middle, b]) {
    middle = split(a, b);
    beside.unshift(from < middle ? [middle, b] : [a, middle]);
  }
  const root = beside.reduce((hash, [a], i) => a > from ? nodeHash(hash, others[i]) : nodeHash(others[i], hash), leaves[from]);
  const wrong = beside.find(([a, b], i) => a > from && a < to && !rootOf(a, b).equals(others[i]));
  return !root.equals(checkpoint.root) ? from : wrong === undefined ? null : findForeign(...wrong);
}
const foreign = size === 0 || rootOf(0, size).equals(checkpoint.root) ? undefined : await findForeign(0, size);
if (foreign !== undefined) fault(foreign === null ? "tree" : nameOf(foreign), "it is not in the tree that was signed");
// ---- Heads that were kept: the tree over as many of today's entries has the same root. With the leaves at hand that is the whole consistency proof.
for (const head of kept.head) {
  const [, first, root] = /^(\d+):([0-9a-f]{64})$/.exec(head) ?? [];
  if (!(Number(first) > 0)) throw new Error(`--head ${head} is no SIZE:ROOT`);
  if (Number(first) > size) fault(`head ${head}`, `the ledger has only ${size} entries: it was cut since`);
  else if (rootOf(0, Number(first)).toString("hex") !== root) fault(`head ${head}`, "is not a head of this ledger: it was rewritten since");
}
// ---- Contents: canonical, in order of time, one of a kind about a subject.
const [bySubject, contents] = [new Map(), entries.map(({ content }) => parse(content))];
entries.forEach((entry, i, _, content = contents[i], name = `${entry.kind} ${entry.subject}`) => {
  if (canonical(content) !== entry.content) fault(nameOf(i), "is not canonical JSON");
  differ(i, entry, { kind: content.kind, subject: content.subject, at: content.at }, "is shown as", "and in its content");
  if (content.at < contents[i - 1]?.at || Date.parse(content.at) > Date.now() + 60_000) fault(nameOf(i), "its time is out of order");
  bySubject.has(name) ? fault(nameOf(i), `repeats entry ${bySubject.get(name)}`) : bySubject.set(name, i);
});
// ---- Keys: each was handed over by the one before it. The one that was kept is among them, and the last one signs.
const chain = [contents.find(({ kind }) => kind === "handover")?.former ?? rawKeyOf(servedKey)];
function followKeys(some, from) {
  for (const [i, { kind, former, next, signature }] of some.entries()) {
    if (kind !== "handover") continue;
    if (former !== chain.at(-1) || !signedBy([former], `ledger-key\n${former}\n${next}\n`, Buffer.from(signature, "base64"))) fault(nameOf(from + i), "is not signed by the former key");
    chain.push(next);
  }
}
followKeys(contents, 0);
for (const key of [vkey, servedKey]) if (!chain.includes(rawKeyOf(key))) fault("key", `${key} is no key of this ledger, and none that was handed over`);
if (!checkpoint.isSignedBy(chain.slice(-1))) throw new Error("the signature of the checkpoint does not hold");
/** Reads into `later` what was entered since the checkpoint, as far as a newer checkpoint signs it. */
async function readLaterEntries() {
  const newer = await readCheckpoint();
  if (newer.size <= leaves.length) return;
  for (let items = [0], at = size + later.length; at < newer.size && items.length > 0; at += items.length) {
    ({ items } = await json(`/api/public/ledger/entries?start=${at}&end=${Math.min(newer.size, at + 1000) - 1}`));
    later.push(...items);
    leaves.push(...items.map(leafOf));
    followKeys(items.map(({ content }) => parse(content)), at);
  }
  if (newer.size > leaves.length) throw new Unreadable(`the ledger ends at entry ${leaves.length} of ${newer.size}`);
  if (!rootOf(0, newer.size).equals(newer.root) || !newer.isSignedBy(chain.slice(-1)))
    throw new Error(`the checkpoint of ${newer.size} entries does not continue that of ${size}`);
}
// ---- Commitments: opened by their salt, and made before the outcome could be known.
const [HORIZON, DAY, minutesOf] = [12, 86_400_000, (timeframe) => Number(timeframe.replace(/\D/g, "")) * { M: 1, H: 60, D: 1440, W: 10080, MN: 43200 }[timeframe.replace(/\d/g, "")]];
const lengthOf = (timeframe = "MN1") => timeframe === "MN1" ? 31 * DAY : 60_000 * minutesOf(timeframe);
const slotOf = ({ symbol, timeframe }) => `${symbol}/${timeframe}`;
const resolved = contents.flatMap((content, i) => {
  if (content.kind !== "reveal") return [];
  const [at, to] = [bySubject.get(`commitment ${content.subject}`), bySubject.get(`outcome ${content.subject}`)];
  const outcome = contents[to];
  if (outcome === undefined) return fault(nameOf(i), "was revealed without an outcome") && [];
  if (content.entered_later !== (at === undefined)) fault(nameOf(i), "says otherwise of its commitment");
  const [sealed, hash] = [contents[at], sha(Buffer.from(content.salt ?? "", "hex"), canonical(content.signal)).toString("hex")];
  if (sealed && (sealed.commitment !== hash || sealed.seq !== content.signal.seq || at >= i)) fault(nameOf(i), `is not what entry ${at} committed to`);
  if (sealed?.at >= outcome.horizon_end) fault(nameOf(at), "was committed to when its outcome was known");
  if (sealed?.timeframe && sealed.timeframe !== content.signal.timeframe) fault(nameOf(at), `was committed to for ${sealed.timeframe}, and is for ${content.signal.timeframe}`);
  const { ts, closes_at: closes } = content.signal;
  // In time: entered less than one length of its timeframe after its candle closed; nothing of a simulated market is.
  const inTime = sealed !== undefined && !content.simulated && Date.parse(sealed.at) < 2 * Date.parse(closes) - Date.parse(ts);
  // How much of the next candle its producer could see: an outcome counts from the close.
  const seen = Math.max(0, (Date.parse(sealed?.at) - Date.parse(closes)) / (Date.parse(closes) - Date.parse(ts)));
  return [{ ...content, inTime, seen, i, to, outcome, slot: slotOf(content.signal), first: at ?? i }];
}).sort((a, b) => a.to - b.to);
// ---- Withheld: from the commitments. Its horizon is over by more than a day, and it was neither revealed nor does an entry say why. That no candles came is no
// reason any more a day after those of a whole horizon were sealed.
const [waiting, delayed, withheld, stretches] = [[], [], [], contents.filter(({ kind, at }) => kind === "candles" && Date.parse(at) < Date.now() - DAY)];
contents.forEach(({ kind, subject, at, timeframe }, i) => {
  if (kind !== "commitment" || bySubject.has(`reveal ${subject}`)) return;
  const delay = contents[bySubject.get(`delay ${subject}`)];
  // Of a stretch that began before it at least so many candles came after.
  const before = ({ from }) => Math.max(0, Math.floor((Date.parse(delay.ts) - Date.parse(from)) / lengthOf(delay.timeframe)) + 1);
  const after = stretches.filter((one) => delay && slotOf(one) === slotOf(delay));
  if (total(after, (range) => Math.max(0, range.n - before(range))) >= HORIZON) withheld.push(fault(nameOf(i), `is withheld: ${delay.reason} is no reason, its candles are in the ledger`));
  else if (delay) delayed.push(delay.reason);
  else if (Date.now() <= Date.parse(at) + HORIZON * lengthOf(timeframe) + DAY) waiting.push(i);
  else withheld.push(fault(nameOf(i), "is withheld: its horizon is over, and it was neither revealed nor is there a reason"));
});
// ---- Stored signals: what the service shows today is what was revealed.
const [listed, inTimeAt, micro] = [new Set(), new Map(resolved.map((one) => [one.to, one.inTime])), (value) => value === null ? null : Math.round(value * 1e6)];
for (let page = { next: "" }; page.next !== null; ) {
  page = await json(`/api/public/signals?limit=1000${page.next === "" ? "" : `&after=${page.next}`}`);
  for (const item of page.items.filter((one) => one.entries?.outcome < size)) {
    const [{ reveal: i, outcome: to }, reveal, outcome] = [item.entries, contents[item.entries.reveal], contents[item.entries.outcome]];
    listed.add(to);
    if (reveal?.kind !== "reveal" || outcome?.kind !== "outcome" || outcome.subject !== reveal.subject) { fault(nameOf(to), "is not the outcome of the signal that it is shown with"); continue; }
    const [{ closes_at, ...signal }, { simulated, subject }] = [reveal.signal, reveal];
    differ(i, item, { ...signal, simulated }, "is stored as", "revealed as");
    differ(i, item, { entered_later: inTimeAt.get(to) !== true }, "is shown as", "by the time of its commitment");
    differ(i, item.entries, { commitment: bySubject.get(`commitment ${subject}`) }, "is said to be entry", "and is");
    const stored = { ...item, distance: item.barrier_distance, buy_r: micro(item.buy_r), sell_r: micro(item.sell_r), result_r: micro(item.result_r) };
    const { label, entry_price, distance, exit_price, exit_reason, ended_at, buy_r, sell_r, result_r } = outcome;
    differ(to, stored, { label, entry_price, distance, exit_price, exit_reason, ended_at, buy_r, sell_r, result_r }, "is stored as", "entered as");
  }
}
for (const { to } of resolved) if (!listed.has(to) && to < record.ledger_size) fault(nameOf(to), "the signal is no longer shown");
// ---- Candles: as they were when they were sealed, and outcomes recomputed from them.
const iso = (ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const [proved, unproved, shownCandles, corrected] = [[], new Map(), new Map(), []];
let figures = 0;
/** An outcome that was committed to in time and cannot be recomputed, under the reason. */
const leave = (one, why) => one.inTime && unproved.set(why, (unproved.get(why) ?? 0) + 1);
for (const slot of new Set(resolved.map((one) => one.slot))) {
  const [own, [symbol, timeframe]] = [resolved.filter((one) => one.slot === slot), slot.split("/")];
  const [ranges, changes] = ["candles", "correction"].map((kind) => contents.flatMap((content, i) => content.kind === kind && slotOf(content) === slot ? [{ ...content, i }] : []));
  const series = new Map();
  const at = ({ ts }) => iso(1000 * ts);
  const from = ranges.map((range) => range.from).sort()[0];
  let [shown, added, sealed, lines, wrong] = [];
  // A candle may be newer than the ledger that was read before it. What differs is therefore compared again with the entries that were made since, and is wrong
  // if it still differs after half a minute: the service enters a correction within seconds.
  for (let i = 0; i === 0 || (wrong.length > 0 && i < 5); i++) {
    if (i > 0) await pause(2 ** i).then(readLaterEntries);
    [shown, wrong] = [await readCandles(symbol, timeframe, from), []];
    if (shown.size === 0) break;
    const since = later.map(({ content }, i) => ({ ...parse(content), i: size + i })).filter((content) => content.kind === "correction" && slotOf(content) === slot);
    [added, sealed] = [[...changes, ...since].filter((one) => one.before === null && one.i >= record.ledger_size).map(at), new Map(shown)];
    // Back to what was sealed: each correction says what was there before.
    for (const change of [...changes, ...since].reverse()) {
      if (canonical(sealed.get(at(change)) ?? null) !== canonical(change.after)) wrong.push([change.i, "the candle is not the corrected one"]);
      if (change.before === null) sealed.delete(at(change)); else sealed.set(at(change), change.before);
    }
    lines = [...sealed].sort(([a], [b]) => a < b ? -1 : 1).map(([ts, prices]) => [ts, `${ts},${prices.join(",")}\n`]);
    const seal = (from, to, part = lines.filter(([ts]) => ts >= from && ts <= to)) => `${part.length} ${sha(part.map(([, line]) => line).join("")).toString("hex")}`;
    for (const { i, from, to, n, sha256 } of ranges) if (seal(from, to) !== `${n} ${sha256}`) wrong.push([i, "the candles are not those that were sealed"]);
  }
  if (shown.size === 0) {
    for (const one of own) leave(one, `${slot}: its candles are not shown. Outcomes of this slot cannot be recomputed by others`);
    continue;
  }
  for (const [i, what] of wrong) fault(nameOf(i), what);
  // The record counts a candle that was added once its correction is in the ledger.
  shownCandles.set(slot, [...shown.keys()].filter((ts) => !added.includes(ts)));
  for (const one of own) {
    const { to, signal, outcome } = one;
    if (outcome.label === null) {
      const from = ranges.flatMap((range) => range.i < to ? [range.from] : []).sort()[0];
      if (outcome.void === "levels" && sealed.has(signal.ts)) {
        if (levelsOf(signal, sealed.get(signal.ts)[3]) === null) proved.push(one); else fault(nameOf(to), "has no outcome for its levels, and they can be judged");
      } else if (from === undefined || !sealed.has(signal.ts)) leave(one, `${slot}: no outcome, and the signal's candle is not in the ledger`);
      else if (lines.filter(([ts]) => ts >= from && ts <= signal.ts).length < 14) proved.push(one);
      else fault(nameOf(to), "has no outcome for want of history, and the history is in the ledger");
      continue;
    }
    const k = changes.filter(({ i }) => i < to).length;
    if (!series.has(k)) series.set(k, seriesOf(sealed, changes.slice(0, k), 14));
    proved.push(one);
    for (const [name, value] of Object.entries(judge(series.get(k), signal, outcome, minutesOf(timeframe)))) {
      const said = outcome[name];
      const same = typeof value === "number" && typeof said === "number" ? Math.abs(value - said) <= (name.endsWith("_r") ? 1 : 1e-9 * Math.abs(value)) : value === said;
      if (!same && !(name === "ended_at" && timeframe === "MN1")) fault(nameOf(to), `${name} is ${value} by the candles, ${said} in the entry`);
    }
    // An outcome stays when its candles are corrected later, but what it would be now is told.
    if (!one.inTime || k === changes.length) continue;
    if (!series.has(changes.length)) series.set(changes.length, seriesOf(sealed, changes, 14));
    const now = judge(series.get(changes.length), signal, outcome, minutesOf(timeframe));
    if (now.label !== outcome.label || Math.abs((now.result_r ?? 0) - (outcome.result_r ?? 0)) > 1) corrected.push(one);
  }
}
async function readCandles(symbol, timeframe, from) {
  const candles = new Map();
  for (let page = { next: from }; page?.next; ) {
    page = await json(`/api/public/candles?symbol=${symbol}&tf_code=${timeframe}&from=${page.next}`, true);
    for (const { ts, open, high, low, close } of page?.items ?? []) candles.set(ts, [open, high, low, close]);
  }
  return candles;
}
function seriesOf(sealed, changes, period) {
  const candles = new Map([...sealed, ...changes.map(({ ts, after }) => [iso(1000 * ts), after])]);
  const [ts, atr] = [[...candles.keys()].sort(), []];
  const rows = ts.map((time) => candles.get(time));
  const ranges = rows.map(([, high, low], i) => Math.max(high - low, ...(i === 0 ? [] : [Math.abs(high - rows[i - 1][3]), Math.abs(low - rows[i - 1][3])])));
  const first = total(ranges.slice(0, period), (range) => range) / period;
  ranges.forEach((range, i) => atr.push(i < period - 1 ? Number.NaN : i === period - 1 ? first : ((period - 1) * atr[i - 1] + range) / period));
  return { ts, rows, atr, at: new Map(ts.map((time, i) => [time, i])) };
}
/** Own levels (rule levels-1): D is the distance of the stop, the target in D; a gap beyond the stop ends at the open. null: they do not lie on both sides of the entry. */
function levelsOf({ signal, stop, target }, entry, way = signal === "BUY" ? 1 : -1) {
  const [distance, reward] = [way * (entry - stop), target === null ? Number.POSITIVE_INFINITY : way * (target - entry)];
  return distance > 0 && reward > 0 ? { distance, rr: reward / distance } : null;
}
/** What became of a signal: costs, the candles of the horizon, and barriers from the close at its own levels, or at D = 2 x ATR(14, Wilder). */
function judge({ ts, rows, atr, at }, signal, { horizon_candles: horizon, cost, rule }, minutes) {
  const i = at.get(signal.ts);
  if (i === undefined || i + HORIZON >= rows.length) return { rule: "known, and its candles are there" };
  const [entry, isOwn] = [rows[i][3], signal.stop !== undefined];
  const own = isOwn ? levelsOf(signal, entry) : { distance: 2 * atr[i], rr: signal.expected_rr > 0 ? signal.expected_rr : Number.POSITIVE_INFINITY };
  if (own === null || rule !== (isOwn ? "levels-1" : "1") || horizon !== (isOwn ? signal.horizon_candles : HORIZON)) return { rule: "that of the signal" };
  const { distance, rr } = own;
  const touch = (above, below, j = i + 1) => {
    const side = ["none", "above", "below", "both"][(rows[j][1] >= entry + above ? 1 : 0) + (rows[j][2] <= entry - below ? 2 : 0)];
    return side === "none" && j < i + horizon ? touch(above, below, j + 1) : { side, j };
  };
  const costR = (cost.kind === "absolute" ? cost.value : cost.value * entry) / distance;
  const follow = (way) => {
    const { side, j } = way > 0 ? touch(rr * distance, distance) : touch(distance, rr * distance);
    const [price, reason, gross] = side === "none" ? [rows[j][3], "TIMEOUT", (way * (rows[j][3] - entry)) / distance]
      : side === (way > 0 ? "above" : "below") ? [entry + way * rr * distance, "TP", rr]
      : isOwn && (way * (rows[j][0] - entry)) / distance < -1 ? [rows[j][0], "SL", (way * (rows[j][0] - entry)) / distance] : [entry - way * distance, "SL", -1];
    return { price, reason, j, r: micro(gross - costR) };
  };
  const [buy, sell, first] = [follow(1), follow(-1), touch(distance, distance).side];
  const [followed, end] = [{ BUY: buy, SELL: sell }[signal.signal], (j) => iso(Date.parse(ts[j]) + minutes * 60_000)];
  return { label: first === "above" ? "BUY" : first === "below" ? "SELL" : "NO_TRADE", entry_price: entry, distance, buy_r: buy.r, sell_r: sell.r, cost_r: micro(costR),
    result_r: followed?.r ?? null, exit_price: followed?.price ?? null, exit_reason: followed?.reason ?? null, ended_at: end(followed?.j ?? Math.max(buy.j, sell.j)),
    horizon_end: iso(Date.parse(ts[i + HORIZON]) + Date.parse(signal.closes_at) - Date.parse(signal.ts)) };
}
// ---- The record: what each signal adds, in whole numbers, and every figure made from the sums.
const [Z, WHO, THIRDS, streams] = [1.959963984540054, ["model", "coin", "frequencies"], [1 / 3, 1 / 3, 1 / 3], new Map()];
const [round, nano, pair] = [(value) => Math.round(value * 1e6) / 1e6, (value) => Math.round(value * 1e9), (ends) => ends.map(round)];
const error = (probs, k) => total([0, 1, 2], (j) => (probs[j] - (j === k ? 1 : 0)) ** 2);
/** What the record counts: the first signal of a candle that was committed in time, or that a demonstration says to be simulated. */
const countedOf = new Map();
const inRecord = resolved.filter(({ outcome, inTime, simulated, slot, signal }) => outcome.label !== null && (record.notice === null ? inTime : simulated)
  && countedOf.get(slot) !== signal.closes_at && countedOf.set(slot, signal.closes_at));
const all = inRecord.map(({ to, slot, signal, outcome, simulated }) => {
  const [model, k] = [signal.model_v, ["BUY", "SELL", "NO_TRADE"].indexOf(outcome.label)];
  const [busy, past] = [`${slot} ${model}`, slot].map((of) => streams.get(of) ?? streams.set(of, { seen: [0, 0, 0] }).get(of));
  const alone = (kind) => { if (signal.closes_at < (busy[kind] ?? "")) return 0; busy[kind] = outcome.horizon_end; return 1; };
  // Class frequencies: of the slot's outcomes that are over, with 12 more of each class. Own levels are no bets and are compared with nothing.
  const [probs, isOwn, ends] = [[signal.prob_buy, signal.prob_sell, signal.prob_no], outcome.rule === "levels-1", Date.parse(outcome.horizon_end)];
  past.open = (past.open ?? []).filter(([end, j]) => end > Date.parse(signal.closes_at) || !++past.seen[j]);
  const ofSlot = past.seen.map((count) => (12 + count) / (36 + total(past.seen, (one) => one)));
  const frequencies = isOwn ? probs : ofSlot;
  if (!isOwn) past.open.push([ends, k]);
  // A bet begins after the one before it has ended: twelve candles after its close at the earliest.
  const betEnd = Math.max(ends, Date.parse(signal.closes_at) + HORIZON * 60_000 * minutesOf(signal.timeframe));
  const isBet = (question) => { if (isOwn || Date.parse(signal.closes_at) < (past[question] ?? 0)) return false; past[question] = betEnd; return true; };
  const [gain, most] = [error(frequencies, k) - error(probs, k), Math.max(...[0, 1, 2].map((j) => Math.abs(error(frequencies, j) - error(probs, j))))];
  const result = (way, counted) => ({ r: way === "BUY" ? outcome.buy_r : outcome.sell_r, alone: counted });
  const [counted, results, edge, directional] = [alone("all"), {}, ofSlot[0] - ofSlot[1], signal.signal !== "NO_TRADE"];
  if (directional) results.model = result(signal.signal, alone("followed"));
  if (directional) results.coin = result(sha([signal.symbol, signal.timeframe, signal.ts, model].join("|"))[0] % 2 === 1 ? "BUY" : "SELL", results.model.alone);
  if (Math.abs(edge) > outcome.cost_r / 1e6) results.frequencies = result(edge > 0 ? "BUY" : "SELL", alone("by frequencies"));
  const say = (three, isAlone, sure = Math.max(...three), hit = three.indexOf(sure) === k ? 1 : 0, bin = Math.min(Math.floor(sure * 10), 9)) =>
    ({ bin, sure: nano(sure), hit, squared: nano((sure - hit) ** 2), alone: isAlone(bin) });
  const said = { model: say(probs, alone), coin: say(THIRDS, () => counted), frequencies: say(ofSlot, () => counted) };
  return { to, slot, model, simulated, day: signal.closes_at.slice(0, 10), counted, directional, free: directional && outcome.cost_r === 0, brier: nano(error(probs, k)), results, said,
    frequencies: nano(error(frequencies, k)), squares: nano(gain * gain), evidence: isBet("probability") ? nano(gain / Math.max(most, 0.05)) : 0,
    betR: directional && isBet("direction") ? results.model.r : 0 };
});
const [rows, scored, lived] = [record, calibration, models].map((answer) => all.filter(({ to }) => to < answer.ledger_size));
const wilson = (rate, n, centre = rate + (Z * Z) / (2 * n), half = Z * Math.sqrt((rate * (1 - rate)) / n + (Z * Z) / (4 * n * n)), scale = 1 + (Z * Z) / n) =>
  n === 0 ? [0, 1] : [rate === 0 ? 0 : Math.max(0, (centre - half) / scale), rate === 1 ? 1 : Math.min(1, (centre + half) / scale)];
const meanOf = (mean, squares, n, alone) => [-1, 1].map((way) => mean + way * Z * Math.sqrt(Math.max(0, squares / n - mean * mean) / alone));
const byDay = (some, of) => [...some.reduce((map, row) => map.set(row.day, (map.get(row.day) ?? 0) + of(row)), new Map())].sort(([a], [b]) => a < b ? -1 : 1);
const only = (enough, figures) => enough ? figures : Object.fromEntries(Object.keys(figures).map((name) => [name, null]));
const bySlots = (some, of) => [...new Set(some.map(({ slot }) => slot))].sort(order).map((slot) => {
  const [own, [symbol, tf_code]] = [some.filter((row) => row.slot === slot), slot.split("/")];
  return { symbol, tf_code, simulated: own.some((row) => row.simulated), ...of(own, minutesOf(tf_code)) };
});
function resultsOf(some, who) {
  const own = some.flatMap((row) => row.results[who] ?? []);
  const [n, alone, wins, losses] = [own.length, total(own, (one) => one.alone), own.filter(({ r }) => r > 0).length, own.filter(({ r }) => r < 0).length];
  const [r, gain, enough, rate] = [total(own, (one) => one.r), total(own, (one) => Math.max(one.r, 0)), n >= 50, wins / (wins + losses)];
  let [sum, top, fall] = [0, 0, 0];
  for (const [, of] of byDay(some, (row) => row.results[who]?.r ?? 0)) { sum += of; top = Math.max(top, sum); fall = Math.max(fall, top - sum); }
  return { n, n_independent: alone, enough, n_wins: wins, n_losses: losses, total_r: round(r / 1e6), max_drawdown_r: round(fall / 1e6),
    ...only(enough && wins + losses > 0, { win_rate_pct: round(100 * rate), win_rate_ci95: pair(wilson(rate, alone).map((end) => 100 * end)) }),
    ...only(enough, { expectancy_r: round(r / 1e6 / n), expectancy_ci95: pair(meanOf(r / 1e6 / n, total(own, (one) => micro((one.r / 1e6) ** 2)) / 1e6, n, alone)) }),
    ...only(enough && gain > r, { profit_factor: round(gain / (gain - r)) }) };
}
function figuresOf(some) {
  const [n, alone, b, f] = [some.length, total(some, (row) => row.counted), total(some, (row) => row.brier), total(some, (row) => row.frequencies)];
  const [enough, mean, ci95] = [n >= 50, f / 1e9 / n, meanOf((f - b) / 1e9 / n, total(some, (row) => row.squares) / 1e9, n, alone)];
  const forecasts = { n, n_independent: alone, enough, n_directional: some.filter((row) => row.directional).length,
    ...only(enough, { brier: round(b / 1e9 / n), brier_frequencies: round(mean), brier_coin: round(2 / 3) }),
    ...only(enough && f > 0 && some.some((row) => row.squares > 0), { skill: round(1 - b / f), skill_ci95: pair(ci95.map((end) => end / mean)) }) };
  return { forecasts, ...Object.fromEntries(WHO.map((who) => [who, resultsOf(some, who)])) };
}
/** The calibration of each forecaster: ten bins of its confidence, and the squared error in its parts (Murphy). */
const qualitiesOf = (some) => Object.fromEntries(WHO.map((who) => {
  const [n, alone, f] = [some.length, total(some, (row) => row.counted), total(some, (row) => row.frequencies)];
  const bins = Array.from({ length: 10 }, (_, bin) => some.flatMap(({ said }) => said[who].bin === bin ? [said[who]] : []))
    .map((own) => ({ n: own.length, ...Object.fromEntries(["sure", "hit", "squared", "alone"].map((name) => [name, total(own, (one) => one[name])])) }));
  const [sure, hits, squared] = ["sure", "hit", "squared"].map((name) => total(bins, (bin) => bin[name]));
  const over = (part) => round(total(bins, (bin) => bin.n === 0 ? 0 : (bin.n / n) * part(bin.hit / bin.n, bin.sure / 1e9 / bin.n)));
  const [enough, accuracy, all] = [n >= 50, hits / n, { model: total(some, (row) => row.brier), coin: (2 / 3) * n * 1e9, frequencies: f }[who]];
  const [brier, reliability, resolution] = [round(squared / 1e9 / n), over((rate, confidence) => (confidence - rate) ** 2), over((rate) => (rate - accuracy) ** 2)];
  const [uncertainty, ece] = [round(accuracy * (1 - accuracy)), round(total(bins, (bin) => Math.abs(bin.hit - bin.sure / 1e9)) / n)];
  const decomposition = { brier, reliability, resolution, uncertainty, within: round(brier - (reliability - resolution + uncertainty)) };
  return [who, { n, n_independent: alone, enough, ...only(enough && f > 0 && some.some((row) => row.squares > 0), { skill: round(1 - all / f) }), ...only(enough, { brier: round(all / 1e9 / n), ece, decomposition,
    accuracy: round(accuracy), accuracy_ci95: pair(wilson(accuracy, alone)), avg_confidence: round(sure / 1e9 / n) }), bins: bins.map((bin, i) => ({ lo: i / 10, hi: (i + 1) / 10,
    n: bin.n, n_independent: bin.alone, ...only(bin.n > 0, { avg_confidence: round(bin.sure / 1e9 / bin.n), hit_rate: round(bin.hit / bin.n), ci95: pair(wilson(bin.hit / bin.n, bin.alone)) }) })) }];
}));
/** By what factor betting against luck has multiplied its stake, over the days of a slot. */
function evidenceOf(parts) {
  const wealth = [0.05, 0.1, 0.2, 0.4, 0.8].map((stake) => parts.reduce((account, [, part]) => Math.min(1e15, account * Math.max(0, 1 + stake * part)), 1));
  return round(total(wealth, (one) => one) / wealth.length);
}
const order = (a, b) => { const [[s, t], [u, v]] = [a.split("/"), b.split("/")]; return s === u ? minutesOf(t) - minutesOf(v) : s < u ? -1 : 1; };
/** Slots with results, and those with a signal that was committed in time and has none although its horizon is over. */
const closeOf = (ts, tf, at = new Date(ts)) => tf === "MN1" ? Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1) : at.getTime() + 60_000 * minutesOf(tf);
const ended = new Set([...rows, ...resolved.filter((one) => one.inTime && one.to < record.ledger_size)].map(({ slot }) => slot));
contents.slice(0, record.ledger_size).forEach(({ kind, subject, ts, timeframe, symbol, simulated }) => {
  if (kind === "delay" && simulated === false && Date.parse(contents[bySubject.get(`commitment ${subject}`)]?.at) < 2 * closeOf(ts, timeframe) - Date.parse(ts)) ended.add(slotOf({ symbol, timeframe }));
});
const needed = round((2 * ended.size) / 0.05);
const items = bySlots(rows, (own, minutes) => {
  const weigh = (of, unit, value = evidenceOf(byDay(own, of).map(([day, sum]) => [day, sum / unit / Math.ceil(1440 / (HORIZON * minutes))]))) =>
    ({ value, needed, shown: value >= needed });
  return { models: [...new Set(own.map(({ model }) => model))].sort(), ...figuresOf(own),
    evidence: { direction: weigh((row) => row.betR, 2e6), probability: weigh((row) => row.evidence, 1e9) } };
});
const [judged, followed] = [items, items.filter(({ model }) => model.n >= 50)].map((some) => some.filter(({ forecasts }) => forecasts.n >= 50));
const [n, m, d, p] = [judged.length, followed.length, ...[[followed, "direction"], [judged, "probability"]].map(([some, of]) => some.filter((one) => one.evidence[of].shown).length)];
/** All slots together: the mean of their evidence, which no dependence between them can make more than it is. */
const overall = Object.fromEntries(["direction", "probability"].map((of, _i, _all, value = items.length === 0 ? 1 : round(total(items, (one) => one.evidence[of].value) / ended.size)) =>
  [of, { value, needed: 40, shown: value >= 40 }]));
const where = (shown, k, many) => items.length === 1 ? "" : shown ? ` over all slots together, and on ${k} of ${many} alone` : ", neither over all slots together nor on any one of them";
const [paid, told] = [d > 0 || overall.direction.shown, p > 0 || overall.probability.shown];
const direction = m === 0 ? "too few were given to be judged" : `${paid ? "shown to pay after costs" : "not shown to be better than a coin"}${where(paid, d, m)}`;
const probability = `${told ? "shown" : "not shown"} to be better than the class frequencies${where(told, p, n)}`;
const text = n > 0 ? `Direction: ${direction}. Probability: ${probability}.` : `Not enough results yet: ${items.length === 1 ? "fewer than" : "no slot has"} 50 resolved signals.`;
const late = (slot) => resolved.filter((one) => !one.inTime && one.to < record.ledger_size && (slot === undefined || one.slot === slot)).length;
const days = [...new Set(rows.map(({ day }) => day))].sort();
const [r, coinR, frequenciesR] = WHO.map((who) => { let sum = 0; return byDay(rows, (row) => row.results[who]?.r ?? 0).map(([, one]) => round((sum += one) / 1e6)); });
const months = [...new Set(days.map((day) => day.slice(0, 7)))].map((month) => [month, figuresOf(rows.filter(({ day }) => day.startsWith(month)))])
  .map(([month, { forecasts: { n, brier, brier_frequencies, skill }, model, coin, frequencies }]) => ({ month, n, n_followed: model.n, total_r: model.total_r,
    coin_r: coin.total_r, frequencies_r: frequencies.total_r, brier, brier_frequencies, skill }));
function compare(said, made, path) {
  if (typeof made === "number") figures++;
  if (typeof made !== "object" || made === null) return JSON.stringify(said) === JSON.stringify(made) || fault(path, `is ${said}, and ${made} by the ledger`);
  for (const name of new Set([...Object.keys(said ?? {}), ...Object.keys(made)])) compare(said?.[name], made[name], `${path}.${name}`);
}
const [whole, scoredSlots, claims] = [{ from: null, to: null }, bySlots(scored, qualitiesOf), new Set()];
/** What was entered later, beside the record. */
function lateOf(some) {
  const followed = some.filter(({ outcome, signal }) => outcome.label !== null && signal.signal !== "NO_TRADE").map(({ outcome, signal }) => signal.signal === "BUY" ? outcome.buy_r : outcome.sell_r);
  const [n, wins, losses, r, days] = [followed.length, followed.filter((one) => one > 0).length, followed.filter((one) => one < 0).length, total(followed, (one) => one),
    some.map(({ signal }) => signal.closes_at.slice(0, 10)).sort()];
  return { n: some.length, n_followed: n, n_wins: wins, n_losses: losses, ...only(n >= 50 && wins + losses > 0, { win_rate_pct: round((100 * wins) / (wins + losses)) }),
    total_r: round(r / 1e6), ...only(n >= 50, { expectancy_r: round(r / 1e6 / n) }), first_day: days[0], last_day: days.at(-1) };
}
const apart = record.notice === null ? resolved.filter((one) => !one.inTime && !one.simulated && one.to < record.ledger_size) : [];
const enteredLater = apart.length === 0 ? null : { notice: record.entered_later?.notice, ...lateOf(apart), count: new Set(apart.map(({ slot }) => slot)).size,
  items: bySlots(apart, lateOf).map(({ simulated: _, ...slot }) => slot) };
const countOf = (slot, of) => rows.filter((row) => row[of] && (slot === undefined || row.slot === slot)).length;
const coverageOf = (said, slot) => ({ ...said?.coverage, n_directional: countOf(slot, "directional"), n_without_cost: countOf(slot, "free"), n_entered_later: late(slot) });
items.forEach((item, i) => { item.coverage = coverageOf(record.items[i], `${item.symbol}/${item.tf_code}`); });
compare(record, { ...whole, notice: record.notice, ledger_size: record.ledger_size, simulated: items.some((one) => one.simulated), first_day: days[0] ?? null, last_day: days.at(-1) ?? null,
  headline: { text, n_slots: n, n_direction: d, n_probability: p }, overall, coverage: coverageOf(record), total: figuresOf(rows), count: items.length, items, months, entered_later: enteredLater,
  curve: days.map((date, i) => ({ date, r: r[i], coin_r: coinR[i], frequencies_r: frequenciesR[i] })) }, "record");
compare(calibration, { ...whole, notice: record.notice, ledger_size: calibration.ledger_size, simulated: scoredSlots.some((one) => one.simulated), n_bins: 10, total: qualitiesOf(scored),
  count: scoredSlots.length, items: scoredSlots }, "calibration");
// ---- Coverage: no more than the ledger and the candles allow. What is paused, late or still sealed is the service's word.
const checkedCoverage = [];
/** Commitments that are not revealed: they may be of any slot of their timeframe. */
const sealedOf = (of) => contents.filter(({ kind, subject, timeframe }) => kind === "commitment" && (timeframe ?? of) === of && !bySubject.has(`reveal ${subject}`)).length;
const shareOf = ({ n_candles: n, n_in_time: timely }) => n === 0 ? null : round((100 * timely) / n);
const dayBefore = iso(Math.floor(begun / DAY) * DAY - DAY);
for (const { symbol, tf_code, coverage } of record.notice === null ? record.items : []) {
  const [slot, path, { since, n_candles: n, n_in_time: timely, n_slow, n_late, n_paused, pct }] = [`${symbol}/${tf_code}`, `coverage of ${symbol}/${tf_code}`, coverage];
  const made = [...new Set(resolved.filter((one) => one.inTime && one.slot === slot).map(({ signal }) => signal.ts))].sort();
  const [open, candles] = [sealedOf(tf_code), (shownCandles.get(slot) ?? []).filter((ts) => since !== null && ts >= since && ts < dayBefore).length];
  if (made.length > 0 && (since === null || since > made[0] || (since < made[0] && open === 0))) fault(path, `begins at ${since}, and the first signal in time is of ${made[0]}`);
  if (timely > made.length + open) fault(path, `counts ${timely} candles with a signal in time, and the ledger has ${made.length} and ${open} that are sealed`);
  const slow = new Set(resolved.filter((one) => one.inTime && one.slot === slot && one.seen > 0.1).map(({ signal }) => signal.ts));
  if (n_slow < [...slow].filter((ts) => ts < dayBefore).length || n_slow > slow.size + open)
    fault(path, `counts ${n_slow} candles whose signal was sealed slowly, and the ledger has ${slow.size} and ${open} that are sealed`);
  if (n < candles) fault(path, `counts ${n} candles, and ${candles} are shown`);
  if (timely + n_late + n_paused > n || pct !== shareOf(coverage)) fault(path, "does not add up");
  if (shownCandles.has(slot)) checkedCoverage.push(slot);
}
for (const name of ["n_candles", "n_in_time", "n_slow", "n_late", "n_paused", "n_missing_candles"])
  if (record.coverage[name] < total(record.items, ({ coverage }) => coverage[name])) fault("coverage", `${name} is less than that of its slots`);
if (record.coverage.pct !== shareOf(record.coverage)) fault("coverage", "does not add up");
// ---- Models: promotions and claims as they were entered, before the first signal of their model; and what came true.
for (const { symbol, tf_code, model_v, claim, promotions, result } of models.items) {
  const [slot, ofModel] = [`${symbol}/${tf_code}`, (row) => row.slot === `${symbol}/${tf_code}` && (row.model ?? row.signal.model_v) === model_v];
  const [own, i] = [lived.filter(ofModel), bySubject.get(`claim claim/${slot}/${model_v}`)];
  const [{ forecasts, model: { max_drawdown_r } }, share] = [figuresOf(own), own.filter((row) => row.directional).length / own.length];
  const shares = only(own.length >= 50, { value: round(share), ci95: pair(wilson(share, forecasts.n_independent)) });
  compare(result, { n: own.length, skill: { value: forecasts.skill, ci95: forecasts.skill_ci95 }, ece: { value: qualitiesOf(own).model.ece, ci95: null },
    directional_share: shares, max_drawdown_r: { value: max_drawdown_r, ci95: null } }, `model ${slot} ${model_v}`);
  for (const { at, entry } of promotions.filter((one) => one.entry < size))
    differ(entry, contents[entry], { kind: "promotion", symbol, timeframe: tf_code, model_v, at }, "is entered as", "and shown of the promotion as");
  if ((claim?.entry ?? i) !== i || (claim === null && i < models.ledger_size)) fault(nameOf(i ?? claim.entry), `is not the claim that is shown of ${slot} ${model_v}`);
  if (i === undefined || !claim) continue;
  const figure = (of) => [of, { value: round(contents[i][of]), ci95: contents[i][`${of}_ci95`].includes(null) ? null : pair(contents[i][`${of}_ci95`]) }];
  differ(i, claim, { n: contents[i].n, ...Object.fromEntries(["skill", "ece", "directional_share", "max_drawdown_r"].map(figure)) }, "of the claim is shown as", "sealed as");
  if (resolved.some((one) => ofModel(one) && one.first < i)) fault(nameOf(i), "was sealed after the first signal of its model");
  claims.add(i);
}
contents.forEach(({ kind }, i) => { if (kind === "claim" && i < models.ledger_size && !claims.has(i)) fault(nameOf(i), "the claim is no longer shown"); });
// ---- Receipts: answers as they were sent, signed by the ledger's key; the ledger has the same signals.
const sent = new Map();
for (const one of resolved) sent.set(`${one.slot}/${one.signal.ts}`, [...(sent.get(`${one.slot}/${one.signal.ts}`) ?? []), one]);
const received = { found: 0, open: 0 };
for (const file of kept.receipt) {
  const raw = readReceipt(file);
  let [head, at] = ["", 0];
  // The heads of proxies and of interim answers come first.
  do { [head, at] = [raw.subarray(at, raw.indexOf("\r\n\r\n", at)).toString(), raw.indexOf("\r\n\r\n", at) + 4]; } while (raw.subarray(at, at + 5).toString() === "HTTP/");
  const [, path, seq, signedAt, , sig] = /^signal-receipt: path="([^"]+)", seq=(\d+), at=(\d+), key="([^"]+)", sig=:([^:]+):\s*$/im.exec(head) ?? [];
  const text = `signal-receipt\n${origin}\n${path}\n${seq}\n${signedAt}\n${sha(raw.subarray(at)).toString("hex")}\n`;
  if (sig === undefined || !signedBy(chain, text, Buffer.from(sig, "base64"))) { fault(`receipt ${file}`, "its signature does not hold"); continue; }
  const [body, [symbol, timeframe]] = [JSON.parse(raw.subarray(at)), path.split("/").slice(3).map(decodeURIComponent)];
  for (const item of body.items ?? body.map((one) => ({ symbol, timeframe, ...one }))) {
    const [slot, six] = [slotOf(item), (value) => typeof value === "number" ? micro(value) : value];
    const same = (sent.get(`${slot}/${item.ts}`) ?? []).filter(({ signal }) => !item.model_v || signal.model_v === item.model_v);
    if (same.some(({ signal }) => Object.keys(signal).every((name) => item[name] === undefined || six(item[name]) === six(signal[name])))) received.found++;
    else if (same.length > 0) fault(`receipt ${file}`, `the ledger has another signal of ${slot} ${item.ts}`);
    else if (1000 * signedAt < Date.parse(item.ts) + 2 * lengthOf(item.timeframe) && resolved.some((one) => one.slot === slot && one.signal.ts > item.ts && one.inTime))
      fault(`receipt ${file}`, `the signal of ${slot} ${item.ts} was sent in time, and the ledger has later ones without it`);
    else received.open++;
  }
}
function readReceipt(file) {
  try { return readFileSync(file); } catch (error) { throw new Unreadable(error.message); }
}
// ---- What was found.
const [committed, simulated] = [resolved.filter((one) => one.inTime), resolved.some((one) => one.simulated)];
const reasons = [...new Set(delayed)].map((reason) => `, ${delayed.filter((one) => one === reason).length} delayed: ${reason}`).join("");
const right = proved.filter((one) => one.inTime && !faults.has(nameOf(one.to)) && !faults.has(nameOf(one.i)) && !faults.has(nameOf(one.first))).length;
const empty = resolved.filter(({ outcome, to }) => outcome.label === null && to < record.ledger_size).length;
const left = committed.length - proved.filter((one) => one.inTime).length;
console.log(`Ledger ${origin}: ${size} entries, signed by ${servedKey}${kept.head.length === 0 ? "" : `\nHeads that were kept: ${kept.head.length}`}`);
console.log(`Committed in time, with an outcome: ${committed.length} signals. ${right} recomputed and right, ${left} not recomputed.`);
const [seen, percent] = [committed.map((one) => one.seen).sort((a, b) => a - b), (share) => Math.floor(100 * share)];
if (seen.length > 0) console.log(`  Half of them were sealed by ${percent(seen[Math.ceil(seen.length / 2) - 1])} % of the candle after theirs, the latest by ${percent(seen.at(-1))} %. Outcomes count from its beginning.`);
for (const [why, n] of unproved) console.log(`  ${n} not recomputed: ${why}.`);
const levels = proved.filter((one) => one.inTime && one.outcome.rule === "levels-1").length;
if (levels > 0) console.log(`  Judged by rule 1: ${proved.filter((one) => one.inTime && one.outcome.rule === "1").length}. By their own levels, rule levels-1: ${levels}.`);
const free = committed.filter(({ outcome, signal }) => outcome.label !== null && signal.signal !== "NO_TRADE" && outcome.cost_r === 0).length;
if (free > 0) console.log(`  ${free} with a direction were judged without a trading cost, because none was set for their symbol.`);
if (corrected.length > 0) console.log(`  By candles that were corrected later, ${corrected.length} of them would have another outcome.`);
console.log(`Entered later: ${resolved.length - committed.length} signals. They prove nothing${record.notice === null ? " and are in no figure of the record" : ""}.${simulated ? " Simulated market: a demonstration; nothing here was committed in time." : ""}`);
if (record.notice !== null) console.log(`  The figures of the record are a demonstration, computed from ${rows.length} of them. ${empty} have no result. Others: ${resolved.length - rows.length - empty}, of a candle that is counted already, newer than the figures, or not simulated.`);
console.log(`Committed, without an outcome yet: ${waiting.length + delayed.length} signals, ${waiting.length} not due yet${reasons}. Withheld: ${withheld.length}.`);
if (record.notice === null) console.log(`Coverage: compared with the candles on ${checkedCoverage.length} of ${record.items.length} slots. How many candles were late or paused is the service's word.${record.coverage.n_missing_candles > 0 ? ` It counts ${record.coverage.n_missing_candles} missing candles; a missing one can hide a loss.` : ""}`);
console.log(`Figures: ${figures} recomputed. Claims of models: ${claims.size}.`);
if (kept.receipt.length > 0) console.log(`Receipts: ${kept.receipt.length}. ${received.found} signals are in the ledger as they were sent, ${received.open} are not revealed yet or never were part of it.`);
report(committed.length > 0 && left === 0 ? 0 : 3);
function report(code, unread) {
  for (const [where, what] of [...faults].slice(0, 50)) console.log(`WRONG ${where}: ${what}`);
  process.exitCode = faults.size === 0 ? code : 1;
  if (unread) console.log(`Stopped before the end: ${unread}`);
  console.log(faults.size > 0 ? `Wrong in ${faults.size} places.` : code === 2 ? "The record could not be verified: not everything could be read. Try again later."
    : code === 0 ? "Everything that was committed in time was checked and is right."
    : committed.length === 0 ? "Nothing is proved yet: no signal that was committed in time has an outcome." : right === 0 ? "Nothing is proved yet: no outcome could be recomputed."
    : "Not everything is proved: some outcomes could not be recomputed. The others are right.");
}
