// Checks the public record of a signal delivery service without trusting it: node verify.mjs https://the.service [vkey]
// It downloads the signed checkpoint, every entry of the ledger, the resolved signals and the candles, and checks the
// signature, the tree, the commitments and their times, every outcome and every figure of the record. What differs is
// named, and the exit code is 1. Node 20 or newer, nothing to install. Keep the vkey that it prints and give it next time.
import { createHash, createPublicKey, verify } from "node:crypto";

const base = (process.argv[2] ?? "http://localhost:3000").replace(/\/+$/, "");
const [faults, notes, reported] = [[], [], new Set()];
const fault = (where, what) => {
  if (reported.has(where) || !reported.add(where)) return;
  faults.push(`${where}: ${what}`);
};
const sha = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const leafHash = (content) => sha(Buffer.of(0), content);
const nodeHash = (left, right) => sha(Buffer.of(1), left, right);
const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
const canonical = (value) =>
  Array.isArray(value) ? `[${value.map(canonical).join(",")}]`
  : typeof value === "object" && value !== null
    ? `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`
    : JSON.stringify(value);

async function get(path, may404 = false) {
  for (;;) {
    const answer = await fetch(base + path);
    if (answer.status === 429 || answer.status === 503) await pause(Number(answer.headers.get("retry-after") ?? 2));
    else if (answer.ok) return answer.text();
    else if (answer.status === 404 && may404) return null;
    else throw new Error(`GET ${path} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  }
}
const json = async (path, may404) => JSON.parse((await get(path, may404)) ?? "null");

// ---- Signature: a signed note (c2sp.org/signed-note) over origin, size and root (c2sp.org/tlog-checkpoint).
const { vkey: servedKey } = await json("/.well-known/signal-ledger");
const vkey = process.argv[3] ?? servedKey;
if (vkey !== servedKey) fault("key", "the service signs with another key than the one given");
const [, origin, keyId, keyText] = /^(.+)\+([0-9a-f]{8})\+(.+)$/.exec(vkey) ?? [];
const keyBytes = Buffer.from(keyText ?? "", "base64");
if (sha(`${origin}\n`, keyBytes).subarray(0, 4).toString("hex") !== keyId) fault("key", "the key id is not its hash");
const publicKey = createPublicKey({
  key: Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), keyBytes.subarray(1)]), format: "der", type: "spki",
});
async function readCheckpoint() {
  const note = await get("/api/public/ledger/checkpoint");
  const [text, signatures = ""] = [note.slice(0, note.indexOf("\n\n") + 1), note.slice(note.indexOf("\n\n") + 2)];
  const line = signatures.split("\n").find((one) => one.startsWith(`— ${origin} `)) ?? "";
  const signature = Buffer.from(line.slice(origin.length + 3), "base64");
  const [name, size, root] = text.split("\n");
  const isSigned = name === origin && signature.subarray(0, 4).toString("hex") === keyId
    && verify(null, Buffer.from(text), publicKey, signature.subarray(4));
  if (!isSigned) fault("checkpoint", "the signature does not hold");
  return { size: Number(size), root: Buffer.from(root ?? "", "base64") };
}

const record = await json("/api/public/record");
const needed = record.ledger_size;
let checkpoint = await readCheckpoint();
for (let i = 0; checkpoint.size < needed && i < 45; i++) { await pause(2); checkpoint = await readCheckpoint(); }
const { size } = checkpoint;
if (size < needed) fault("checkpoint", `covers ${size} entries of ${needed}`);

// ---- Tree (RFC 6962): every leaf, every subtree, the root.
const entries = [];
while (entries.length < size) {
  const { items } = await json(`/api/public/ledger/entries?start=${entries.length}&end=${Math.min(size, entries.length + 1000) - 1}`);
  if (items.length === 0) throw new Error(`the ledger ends at entry ${entries.length} of ${size}`);
  entries.push(...items);
}
const nameOf = (i) => `entry ${i} (${entries[i]?.kind} ${entries[i]?.subject})`;
const leaves = entries.map(({ content }) => leafHash(content));
const split = (n) => 2 ** Math.ceil(Math.log2(n) - 1);
const rootOf = (from, to) => {
  if (to - from === 0) return sha("");
  if (to - from === 1) return leaves[from];
  const middle = from + split(to - from);
  return nodeHash(rootOf(from, middle), rootOf(middle, to));
};
entries.forEach((entry, i) => {
  if (entry.index !== i) fault(nameOf(i), `stands at place ${entry.index}`);
  if (entry.leaf_hash !== leaves[i].toString("hex")) fault(nameOf(i), "its content is not what its leaf is the hash of");
});
/** Finds the first leaf that is not the one in the signed tree, by the proofs of its neighbours. */
async function findForeign(from, to) {
  const { path } = await json(`/api/public/ledger/proof?entry=${from}&size=${size}`);
  const beside = [];
  for (let [a, b] = [0, size]; b - a > 1; ) {
    const middle = a + split(b - a);
    if (from < middle) { beside.push([middle, b]); b = middle; } else { beside.push([a, middle]); a = middle; }
  }
  let hash = leaves[from];
  beside.reverse().forEach(([a], i) => {
    const other = Buffer.from(path[i] ?? "", "hex");
    hash = a > from ? nodeHash(hash, other) : nodeHash(other, hash);
  });
  if (!hash.equals(checkpoint.root)) return from;
  const i = beside.findIndex(([a, b], k) => a > from && a < to && rootOf(a, b).toString("hex") !== path[k]);
  return i < 0 ? null : findForeign(beside[i][0], beside[i][1]);
}
if (!rootOf(0, size).equals(checkpoint.root)) {
  const foreign = await findForeign(0, size);
  fault(foreign === null ? "tree" : nameOf(foreign), "it is not in the tree that was signed");
}

// ---- Contents: canonical, in order of time, one of a kind about a subject.
const [bySubject, contents] = [new Map(), []];
let latest = "";
entries.forEach((entry, i) => {
  let content = {};
  try { content = JSON.parse(entry.content); } catch { fault(nameOf(i), "is not JSON"); }
  contents.push(content);
  if (canonical(content) !== entry.content) fault(nameOf(i), "is not canonical JSON");
  for (const name of ["kind", "subject", "at"])
    if (content[name] !== entry[name]) fault(nameOf(i), `its ${name} is not that of its content`);
  if (!(content.at >= latest) || Date.parse(content.at) > Date.now() + 60_000) fault(nameOf(i), "its time is out of order");
  latest = content.at;
  const name = `${entry.kind} ${entry.subject}`;
  if (bySubject.has(name)) fault(nameOf(i), `repeats entry ${bySubject.get(name)}`);
  bySubject.set(name, i);
});

// ---- Commitments: opened by their salt, and made before the outcome could be known.
let [committed, inTime, later] = [0, 0, 0];
const resolved = [];
contents.forEach((content, i) => {
  if (content.kind !== "reveal") return;
  const [at, to] = [bySubject.get(`commitment ${content.subject}`), bySubject.get(`outcome ${content.subject}`)];
  const outcome = contents[to];
  if (outcome === undefined) return fault(nameOf(i), "was revealed without an outcome");
  if (content.entered_later !== (at === undefined)) fault(nameOf(i), "says otherwise of its commitment");
  if (at === undefined) later++;
  else {
    committed++;
    const hash = sha(Buffer.from(content.salt ?? "", "hex"), canonical(content.signal)).toString("hex");
    if (contents[at].commitment !== hash || contents[at].seq !== content.signal.seq || at >= i)
      fault(nameOf(i), `is not what entry ${at} committed to`);
    if (outcome.label === null || contents[at].at < outcome.horizon_end) inTime++;
    else fault(nameOf(at), "was committed to when its outcome was known");
  }
  resolved.push({ i, to, ...content, outcome });
});
resolved.sort((a, b) => a.to - b.to);

// ---- Stored signals: what the service shows today is what was revealed.
const listed = new Set();
for (let after = ""; after !== null; ) {
  const { items, next } = await json(`/api/public/signals?limit=1000${after === "" ? "" : `&after=${after}`}`);
  for (const item of items) {
    if (item.entries.outcome >= size) continue;
    const [reveal, outcome] = [contents[item.entries.reveal], contents[item.entries.outcome]];
    listed.add(item.entries.outcome);
    if (reveal?.kind !== "reveal" || outcome?.kind !== "outcome" || outcome.subject !== reveal.subject) {
      fault(`signal ${item.seq}`, "names entries that are not its own");
      continue;
    }
    for (const [name, value] of Object.entries(reveal.signal))
      if (name in item && item[name] !== value) fault(nameOf(item.entries.reveal), `${name} is stored as ${item[name]}, revealed as ${value}`);
    const shown = { label: item.label, entry_price: item.entry_price, distance: item.barrier_distance, buy_r: micro(item.buy_r),
      sell_r: micro(item.sell_r), result_r: micro(item.result_r), exit_price: item.exit_price, exit_reason: item.exit_reason, ended_at: item.ended_at };
    for (const [name, value] of Object.entries(shown))
      if ((outcome[name] ?? null) !== value) fault(nameOf(item.entries.outcome), `${name} is stored as ${value}, entered as ${outcome[name]}`);
  }
  after = next;
}
for (const { to } of resolved) if (!listed.has(to)) fault(nameOf(to), "the signal is no longer shown");
function micro(value) { return value === null ? null : Math.round(value * 1e6); }

// ---- Candles: as they were when they were sealed, and outcomes recomputed from them.
const MINUTES = { M1: 1, M2: 2, M3: 3, M4: 4, M5: 5, M6: 6, M10: 10, M12: 12, M15: 15, M20: 20, M30: 30, H1: 60, H2: 120, H3: 180,
  H4: 240, H6: 360, H8: 480, H12: 720, D1: 1440, W1: 10080, MN1: 43200 };
const iso = (ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const slotOf = ({ symbol, timeframe }) => `${symbol}/${timeframe}`;
let [recomputed, unchecked] = [0, 0];
for (const slot of new Set(resolved.map(({ signal }) => slotOf(signal)))) {
  const [symbol, timeframe] = slot.split("/");
  const own = resolved.filter(({ signal }) => slotOf(signal) === slot);
  const inSlot = (kind) => contents.flatMap((content, i) => (content.kind === kind && slotOf(content) === slot ? [{ ...content, i }] : []));
  const [ranges, changes] = [inSlot("candles"), inSlot("correction")];
  const now = new Map();
  let isShown = true;
  for (let from = ranges.map((range) => range.from).sort()[0] ?? ""; from !== null && isShown; ) {
    const page = await json(`/api/public/candles?symbol=${symbol}&tf_code=${timeframe}&from=${from}`, true);
    isShown = page !== null;
    for (const { ts, open, high, low, close } of page?.items ?? []) now.set(ts, [open, high, low, close]);
    from = page?.next ?? null;
  }
  if (!isShown) {
    notes.push(`${slot}: the operator does not show its candles: ${ranges.length} hashes and ${own.length} outcomes were not recomputed`);
    unchecked += own.length;
    continue;
  }
  // Back to what was sealed: each correction says what was there before.
  const sealed = new Map(now);
  for (const { i, ts, before, after } of [...changes].reverse()) {
    const time = iso(1000 * ts);
    if (canonical(sealed.get(time) ?? null) !== canonical(after)) fault(nameOf(i), "the candle is not the corrected one");
    if (before === null) sealed.delete(time); else sealed.set(time, before);
  }
  const times = [...sealed.keys()].sort();
  for (const { i, from, to, n, sha256 } of ranges) {
    const part = times.filter((ts) => ts >= from && ts <= to);
    const hash = sha(part.map((ts) => `${ts},${sealed.get(ts).join(",")}\n`).join("")).toString("hex");
    if (part.length !== n || hash !== sha256) fault(nameOf(i), "the candles are not those that were sealed");
  }
  const series = new Map();
  for (const { to, signal, outcome } of own) {
    if (outcome.label === null) continue;
    const k = changes.filter(({ i }) => i < to).length;
    if (!series.has(k)) series.set(k, seriesOf(sealed, changes.slice(0, k), outcome.atr_period));
    const found = judge(series.get(k), signal, outcome, MINUTES[timeframe]);
    recomputed++;
    for (const [name, value] of Object.entries(found)) {
      const said = outcome[name];
      const same = typeof value === "number" && typeof said === "number"
        ? Math.abs(value - said) <= (name.endsWith("_r") ? 1 : 1e-9 * Math.abs(value)) : value === said;
      if (!same && !(name === "ended_at" && timeframe === "MN1")) fault(nameOf(to), `${name} is ${value} by the candles, ${said} in the entry`);
    }
  }
}
function seriesOf(sealed, changes, period) {
  const candles = new Map(sealed);
  for (const { ts, after } of changes) candles.set(iso(1000 * ts), after);
  const ts = [...candles.keys()].sort();
  const rows = ts.map((time) => candles.get(time));
  let [atr, sum] = [[], 0];
  rows.forEach(([, high, low], i) => {
    const last = i === 0 ? null : rows[i - 1][3];
    const range = last === null ? high - low : Math.max(high - low, Math.abs(high - last), Math.abs(low - last));
    sum += range;
    atr.push(i < period - 1 ? Number.NaN : i === period - 1 ? sum / period : ((period - 1) * atr[i - 1] + range) / period);
  });
  return { ts, rows, atr, at: new Map(ts.map((time, i) => [time, i])) };
}
/** What became of a signal: barriers at D = multiple x ATR(Wilder) from the close, costs, the candles of the horizon. */
function judge({ ts, rows, atr, at }, signal, { atr_multiple, horizon_candles: horizon, cost, rule }, minutes) {
  const i = at.get(signal.ts);
  if (i === undefined || i + horizon >= rows.length) return { candles: "are there" };
  if (rule !== "1") return { rule: "1" };
  const [entry, distance] = [rows[i][3], atr_multiple * atr[i]];
  const touch = (above, below) => {
    for (let j = i + 1; j <= i + horizon; j++) {
      const [up, down] = [rows[j][1] >= entry + above, rows[j][2] <= entry - below];
      if (up || down) return { side: up && down ? "both" : up ? "above" : "below", j };
    }
    return { side: "none", j: i + horizon };
  };
  const costR = (cost.kind === "absolute" ? cost.value : cost.value * entry) / distance;
  const rr = signal.expected_rr > 0 ? signal.expected_rr : Number.POSITIVE_INFINITY;
  const follow = (way) => {
    const { side, j } = way > 0 ? touch(rr * distance, distance) : touch(distance, rr * distance);
    const [price, reason, gross] = side === "none" ? [rows[j][3], "TIMEOUT", (way * (rows[j][3] - entry)) / distance]
      : side === (way > 0 ? "above" : "below") ? [entry + way * rr * distance, "TP", rr] : [entry - way * distance, "SL", -1];
    return { price, reason, j, r: Math.round((gross - costR) * 1e6) };
  };
  const [buy, sell, first] = [follow(1), follow(-1), touch(distance, distance).side];
  const own = { BUY: buy, SELL: sell }[signal.signal] ?? null;
  const end = (j) => iso(Date.parse(ts[j]) + minutes * 60_000);
  return { label: first === "above" ? "BUY" : first === "below" ? "SELL" : "NO_TRADE", entry_price: entry, distance,
    buy_r: buy.r, sell_r: sell.r, cost_r: Math.round(costR * 1e6), result_r: own?.r ?? null, exit_price: own?.price ?? null,
    exit_reason: own?.reason ?? null, ended_at: end(own?.j ?? Math.max(buy.j, sell.j)),
    horizon_end: iso(Date.parse(ts[i + horizon]) + Date.parse(signal.closes_at) - Date.parse(signal.ts)) };
}

// ---- The record: what each signal adds, in whole numbers, and every figure made from the sums.
const [Z, WHO, round] = [1.959963984540054, ["model", "coin", "frequencies"], (value) => Math.round(value * 1e6) / 1e6];
const [nano, pair, total] = [(value) => Math.round(value * 1e9), (ends) => ends.map(round), (list, of) => list.reduce((sum, one) => sum + of(one), 0)];
const [streams, THIRDS] = [new Map(), [1 / 3, 1 / 3, 1 / 3]];
const error = (probs, k) => [0, 1, 2].reduce((sum, j) => sum + (probs[j] - (j === k ? 1 : 0)) ** 2, 0);
const rows = resolved.filter(({ to, outcome }) => to < needed && outcome.label !== null).map(({ signal, outcome, simulated }) => {
  const [slot, model] = [slotOf(signal), signal.model_v];
  const busy = streams.get(`${slot} ${model}`) ?? {};
  streams.set(`${slot} ${model}`, busy);
  const alone = (kind) => (signal.closes_at < (busy[kind] ?? "") ? 0 : ((busy[kind] = outcome.horizon_end), 1));
  const k = ["BUY", "SELL", "NO_TRADE"].indexOf(outcome.label);
  const [probs, frequencies] = [[signal.prob_buy, signal.prob_sell, signal.prob_no], outcome.frequencies ?? THIRDS];
  const [b, f, most] = [error(probs, k), error(frequencies, k), Math.max(...[0, 1, 2].map((j) => Math.abs(error(frequencies, j) - error(probs, j))))];
  const result = (way, counted) => ({ r: way === "BUY" ? outcome.buy_r : outcome.sell_r, alone: counted });
  const counted = alone("all");
  const results = {};
  if (signal.signal !== "NO_TRADE") {
    results.model = result(signal.signal, alone("followed"));
    const coin = sha([signal.symbol, signal.timeframe, signal.ts, model].join("|"))[0] % 2 === 1 ? "BUY" : "SELL";
    results.coin = result(coin, results.model.alone);
  }
  const edge = frequencies[0] - frequencies[1];
  if (Math.abs(edge) > outcome.cost_r / 1e6) results.frequencies = result(edge > 0 ? "BUY" : "SELL", alone("by frequencies"));
  return { slot, model, simulated, day: signal.closes_at.slice(0, 10), counted, directional: signal.signal !== "NO_TRADE", brier: nano(b), frequencies: nano(f),
    squares: nano((f - b) * (f - b)), evidence: most === 0 ? 0 : nano((f - b) / most), results };
});
const wilson = (rate, n) => {
  if (n === 0) return [0, 1];
  const [centre, half] = [rate + (Z * Z) / (2 * n), Z * Math.sqrt((rate * (1 - rate)) / n + (Z * Z) / (4 * n * n))];
  const scale = 1 + (Z * Z) / n;
  return [rate === 0 ? 0 : Math.max(0, (centre - half) / scale), rate === 1 ? 1 : Math.min(1, (centre + half) / scale)];
};
const meanOf = (sum, squares, n, alone) => {
  const half = Z * Math.sqrt(Math.max(0, squares / n - (sum / n) ** 2) / alone);
  return { mean: sum / n, ci95: [sum / n - half, sum / n + half] };
};
const byDay = (some, of) => {
  const sums = new Map();
  for (const row of some) sums.set(row.day, (sums.get(row.day) ?? 0) + of(row));
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
};
function resultsOf(some, who) {
  const own = some.flatMap((row) => row.results[who] ?? []);
  const [n, alone, wins, losses] = [own.length, total(own, (one) => one.alone), own.filter(({ r }) => r > 0).length, own.filter(({ r }) => r < 0).length];
  const [r, gain, enough] = [total(own, (one) => one.r), total(own, (one) => Math.max(one.r, 0)), n >= 50];
  const { mean, ci95 } = meanOf(r / 1e6, total(own, (one) => micro((one.r / 1e6) ** 2)) / 1e6, n, alone);
  let [sum, top, fall] = [0, 0, 0];
  for (const [, of] of byDay(some, (row) => row.results[who]?.r ?? 0)) { sum += of; top = Math.max(top, sum); fall = Math.max(fall, top - sum); }
  const [rate, isRate] = [wins / (wins + losses), enough && wins + losses > 0];
  return { n, n_independent: alone, enough, n_wins: wins, n_losses: losses, win_rate_pct: isRate ? round(100 * rate) : null,
    win_rate_ci95: isRate ? pair(wilson(rate, alone).map((end) => 100 * end)) : null, total_r: round(r / 1e6), expectancy_r: enough ? round(mean) : null,
    expectancy_ci95: enough ? pair(ci95) : null, profit_factor: enough && gain > r ? round(gain / (gain - r)) : null, max_drawdown_r: round(fall / 1e6) };
}
function figuresOf(some) {
  const [n, alone, b, f] = [some.length, total(some, (row) => row.counted), total(some, (row) => row.brier), total(some, (row) => row.frequencies)];
  const [enough, mean] = [n >= 50, f / 1e9 / n];
  const { ci95 } = meanOf((f - b) / 1e9, total(some, (row) => row.squares) / 1e9, n, alone);
  const isSkill = enough && mean > 0;
  const forecasts = { n, n_independent: alone, enough, n_directional: some.filter((row) => row.directional).length, brier: enough ? round(b / 1e9 / n) : null,
    brier_frequencies: enough ? round(mean) : null, brier_coin: enough ? round(2 / 3) : null, skill: isSkill ? round(1 - b / f) : null,
    skill_ci95: isSkill ? pair(ci95.map((end) => end / mean)) : null };
  return { forecasts, ...Object.fromEntries(WHO.map((who) => [who, resultsOf(some, who)])) };
}
/** By what factor betting against luck has multiplied its stake, over the days of a slot. */
function evidenceOf(parts, minutes) {
  const turns = Math.ceil(1.4 * ((12 * minutes * 60_000) / 86_400_000)) + 3;
  const wealth = Array.from({ length: turns }, () => [1, 1, 1, 1, 1]);
  for (const [day, part] of parts) {
    const account = wealth[(Date.parse(day) / 86_400_000) % turns];
    if (part !== 0) [0.05, 0.1, 0.2, 0.4, 0.8].forEach((stake, k) => { account[k] = Math.min(1e15, account[k] * Math.max(0, 1 + stake * part)); });
  }
  return round(total(wealth.flat(), (one) => one) / wealth.flat().length);
}
const slots = [...new Set(rows.map(({ slot }) => slot))].map((slot) => ({ slot, own: rows.filter((row) => row.slot === slot) }))
  .sort((a, b) => { const [[s, t], [u, v]] = [a.slot.split("/"), b.slot.split("/")]; return s === u ? MINUTES[t] - MINUTES[v] : s < u ? -1 : 1; });
const items = slots.map(({ slot, own }) => {
  const [symbol, tf_code] = slot.split("/");
  const [perDay, need] = [Math.max(1, 1440 / MINUTES[tf_code]), round((2 * slots.length) / 0.05)];
  const weigh = (of, unit, scale) => {
    const value = evidenceOf(byDay(own, of).map(([day, sum]) => [day, sum / unit / (scale * perDay)]), MINUTES[tf_code]);
    return { value, needed: need, shown: value >= need };
  };
  return { symbol, tf_code, simulated: own.some((row) => row.simulated), models: [...new Set(own.map(({ model }) => model))].sort(), ...figuresOf(own),
    evidence: { direction: weigh((row) => row.results.model?.r ?? 0, 1e6, 2), probability: weigh((row) => row.evidence, 1e9, 1) } };
});
const judged = items.filter(({ forecasts }) => forecasts.n >= 50);
const followed = judged.filter(({ model }) => model.n >= 50);
const [n, d, p] = [judged.length, followed.filter((one) => one.evidence.direction.shown).length, judged.filter((one) => one.evidence.probability.shown).length];
const of = (k, all) => `${k} of ${all} ${all === 1 ? "slot" : "slots"}`;
const text = n === 0 ? "Not enough results yet: no slot has 50 resolved signals."
  : `${followed.length === 0 ? "Direction: too few were given to be judged."
    : d === 0 ? `Direction: no better than a coin on ${of(followed.length, followed.length)}.` : `Direction: shown to pay after costs on ${of(d, followed.length)}.`} ${
    p === 0 ? `Probability: no better than the class frequencies on ${of(n, n)}.` : `Probability: shown to be better than the class frequencies on ${of(p, n)}.`}`;
const days = [...new Set(rows.map(({ day }) => day))].sort();
const upTo = (who) => { let sum = 0; return new Map(byDay(rows, (row) => row.results[who]?.r ?? 0).map(([day, r]) => [day, round((sum += r) / 1e6)])); };
const [curve, months] = [WHO.map(upTo), [...new Set(days.map((day) => day.slice(0, 7)))]];
const expected = { ledger_size: record.ledger_size, simulated: items.some((one) => one.simulated), from: null, to: null, first_day: days[0] ?? null,
  last_day: days.at(-1) ?? null, headline: { text, n_slots: n, n_direction: d, n_probability: p }, total: figuresOf(rows), count: items.length, items,
  curve: days.map((date) => ({ date, r: curve[0].get(date), coin_r: curve[1].get(date), frequencies_r: curve[2].get(date) })),
  months: months.map((month) => {
    const own = rows.filter(({ day }) => day.startsWith(month));
    const [b, f, sums] = [total(own, (row) => row.brier), total(own, (row) => row.frequencies), WHO.map((who) => round(total(own, (row) => row.results[who]?.r ?? 0) / 1e6))];
    const enough = own.length >= 50;
    return { month, n: own.length, n_followed: own.filter((row) => row.results.model).length, total_r: sums[0], coin_r: sums[1], frequencies_r: sums[2],
      brier: enough ? round(b / 1e9 / own.length) : null, brier_frequencies: enough ? round(f / 1e9 / own.length) : null, skill: enough && f > 0 ? round(1 - b / f) : null };
  }) };
let figures = 0;
(function compare(said, made, path) {
  if (typeof made !== "object" || made === null) {
    if (typeof made === "number") figures++;
    return JSON.stringify(said) === JSON.stringify(made) ? null : fault(`record${path}`, `is ${said}, and ${made} by the ledger`);
  }
  for (const name of new Set([...Object.keys(said ?? {}), ...Object.keys(made)])) compare(said?.[name], made[name], `${path}.${name}`);
})(record, expected, "");

// ---- What was found.
console.log(`Ledger ${origin}: ${size} entries, signed by ${vkey}`);
console.log(`Signals: ${resolved.length} revealed; ${committed} were committed to before, ${inTime} of them before their outcome was known; ${later} were entered later.`);
console.log(`Outcomes: ${recomputed} recomputed from candles, ${unchecked} not, for want of candles. Figures of the record: ${figures} recomputed.`);
for (const note of notes) console.log(`Not checked: ${note}`);
for (const one of faults.slice(0, 50)) console.log(`WRONG ${one}`);
if (faults.length > 50) console.log(`and ${faults.length - 50} more`);
console.log(faults.length === 0 ? "Everything that could be checked is right." : `${faults.length} things are wrong.`);
process.exitCode = faults.length === 0 ? 0 : 1;
