// Checks the public record of a signal delivery service without trusting it: node verify.mjs https://the.service [vkey]
// Downloads the signed checkpoint, every entry of the ledger, the resolved signals and the candles; checks the signature, the tree, the commitments and their
// times, every outcome and every figure of the record; names what differs, with exit code 1. Node 20 or newer. Keep the vkey that it prints for the next time.
import { createHash, createPublicKey, verify } from "node:crypto";
const base = (process.argv[2] ?? "http://localhost:3000").replace(/\/+$/, "");
const [faults, notes] = [new Map(), []];
const fault = (where, what) => faults.has(where) || faults.set(where, what);
process.on("uncaughtException", (error) => { fault("verification", `cannot go on: ${error.message}`); report(); process.exit(1); });
const sha = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const nodeHash = (left, right) => sha(Buffer.of(1), left, right);
const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
const parse = (text) => { try { return JSON.parse(text); } catch { return {}; } };
const members = (value) => Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
const canonical = (value) => Array.isArray(value) ? `[${value.map(canonical).join(",")}]`
  : typeof value === "object" && value !== null ? `{${members(value).join(",")}}` : JSON.stringify(value);
async function get(path, may404 = false) {
  for (;;) {
    const answer = await fetch(base + path);
    if (answer.ok) return answer.text();
    if (answer.status === 404 && may404) return "null";
    if (answer.status !== 429 && answer.status !== 503) throw new Error(`GET ${path} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
    await pause(Number(answer.headers.get("retry-after") ?? 2));
  }
}
const json = async (path, may404) => JSON.parse(await get(path, may404));
// ---- Signature: a signed note (c2sp.org/signed-note) over origin, size and root (c2sp.org/tlog-checkpoint).
const { vkey: servedKey } = await json("/.well-known/signal-ledger");
const vkey = process.argv[3] ?? servedKey;
if (vkey !== servedKey) fault("key", "the service signs with another key than the one given");
const [, origin, keyId, keyText] = /^(.+)\+([0-9a-f]{8})\+(.+)$/.exec(vkey) ?? [];
const keyBytes = Buffer.from(keyText ?? "", "base64");
if (sha(`${origin}\n`, keyBytes).subarray(0, 4).toString("hex") !== keyId) fault("key", "its id is not its hash");
const publicKey = createPublicKey({ key: Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), keyBytes.subarray(1)]), format: "der", type: "spki" });
async function readCheckpoint() {
  const note = await get("/api/public/ledger/checkpoint");
  const [text, signatures] = [note.slice(0, note.indexOf("\n\n") + 1), note.slice(note.indexOf("\n\n") + 2).split("\n")];
  const signature = Buffer.from((signatures.find((line) => line.startsWith(`— ${origin} `)) ?? "").slice(origin.length + 3), "base64");
  const [name, size, root] = text.split("\n");
  if (name !== origin || !verify(null, Buffer.from(text), publicKey, signature.subarray(4))) throw new Error("the signature of the checkpoint does not hold");
  return { size: Number(size), root: Buffer.from(root, "base64") };
}
const record = await json("/api/public/record");
let checkpoint = await readCheckpoint();
for (let i = 0; checkpoint.size < record.ledger_size && i < 45; i++) { await pause(2); checkpoint = await readCheckpoint(); }
const { size } = checkpoint;
if (size < record.ledger_size) fault("checkpoint", `covers ${size} entries of ${record.ledger_size}`);
// ---- Tree (RFC 6962): every leaf, every subtree, the root.
const entries = [];
while (entries.length < size) {
  const { items } = await json(`/api/public/ledger/entries?start=${entries.length}&end=${Math.min(size, entries.length + 1000) - 1}`);
  if (items.length === 0) throw new Error(`the ledger ends at entry ${entries.length} of ${size}`);
  entries.push(...items);
}
const nameOf = (i) => `entry ${i} (${entries[i]?.kind} ${entries[i]?.subject})`;
const leaves = entries.map(({ content }) => sha(Buffer.of(0), content));
const split = (from, to) => from + 2 ** Math.ceil(Math.log2(to - from) - 1);
const rootOf = (from, to) => to - from === 1 ? leaves[from] : nodeHash(rootOf(from, split(from, to)), rootOf(split(from, to), to));
for (const [i, { index, leaf_hash: hash }] of entries.entries())
  if (index !== i || hash !== leaves[i].toString("hex")) fault(nameOf(i), "its content is not what its leaf is the hash of, or its place another");
/** The first leaf that is not the one in the signed tree, by the proofs of its neighbours. */
async function findForeign(from, to) {
  const { path } = await json(`/api/public/ledger/proof?entry=${from}&size=${size}`);
  const beside = [];
  for (let [a, b] = [0, size]; b - a > 1; ) {
    const middle = split(a, b);
    beside.unshift(from < middle ? [middle, b] : [a, middle]);
    [a, b] = from < middle ? [a, middle] : [middle, b];
  }
  const others = path.map((hash) => Buffer.from(hash, "hex"));
  const root = beside.reduce((hash, [a], i) => a > from ? nodeHash(hash, others[i]) : nodeHash(others[i], hash), leaves[from]);
  if (!root.equals(checkpoint.root)) return from;
  const wrong = beside.find(([a, b], i) => a > from && a < to && !rootOf(a, b).equals(others[i]));
  return wrong === undefined ? null : findForeign(...wrong);
}
const foreign = size === 0 || rootOf(0, size).equals(checkpoint.root) ? undefined : await findForeign(0, size);
if (foreign !== undefined) fault(foreign === null ? "tree" : nameOf(foreign), "it is not in the tree that was signed");
// ---- Contents: canonical, in order of time, one of a kind about a subject.
const [bySubject, contents] = [new Map(), entries.map(({ content }) => parse(content))];
entries.forEach((entry, i) => {
  const [content, name] = [contents[i], `${entry.kind} ${entry.subject}`];
  if (canonical(content) !== entry.content) fault(nameOf(i), "is not canonical JSON");
  for (const field of ["kind", "subject", "at"]) if (content[field] !== entry[field]) fault(nameOf(i), `its ${field} is not that of its content`);
  if (content.at < contents[i - 1]?.at || Date.parse(content.at) > Date.now() + 60_000) fault(nameOf(i), "its time is out of order");
  if (bySubject.has(name)) fault(nameOf(i), `repeats entry ${bySubject.get(name)}`);
  bySubject.set(name, i);
});
// ---- Commitments: opened by their salt, and made before the outcome could be known.
const resolved = contents.flatMap((content, i) => {
  if (content.kind !== "reveal") return [];
  const [at, to] = [bySubject.get(`commitment ${content.subject}`), bySubject.get(`outcome ${content.subject}`)];
  const outcome = contents[to];
  if (outcome === undefined) return fault(nameOf(i), "was revealed without an outcome") && [];
  if (content.entered_later !== (at === undefined)) fault(nameOf(i), "says otherwise of its commitment");
  const [sealed, hash] = [contents[at], sha(Buffer.from(content.salt ?? "", "hex"), canonical(content.signal)).toString("hex")];
  if (sealed && (sealed.commitment !== hash || sealed.seq !== content.signal.seq || at >= i)) fault(nameOf(i), `is not what entry ${at} committed to`);
  if (sealed?.at >= outcome.horizon_end) fault(nameOf(at), "was committed to when its outcome was known");
  return [{ ...content, i, to, outcome }];
}).sort((a, b) => a.to - b.to);
// ---- Stored signals: what the service shows today is what was revealed.
const listed = new Set();
const micro = (value) => value === null ? null : Math.round(value * 1e6);
for (let after = ""; after !== null; ) {
  const page = await json(`/api/public/signals?limit=1000${after === "" ? "" : `&after=${after}`}`);
  for (const item of page.items.filter((one) => one.entries.outcome < size)) {
    const { reveal: i, outcome: to } = item.entries;
    const [reveal, outcome] = [contents[i], contents[to]];
    listed.add(to);
    if (reveal?.kind !== "reveal" || outcome?.kind !== "outcome" || outcome.subject !== reveal.subject) { fault(`signal ${item.seq}`, "names entries that are not its own"); continue; }
    for (const [name, value] of Object.entries(reveal.signal))
      if (name in item && item[name] !== value) fault(nameOf(i), `${name} is stored as ${item[name]}, revealed as ${value}`);
    const { label, entry_price, barrier_distance: distance, exit_price, exit_reason, ended_at } = item;
    const shown = { label, entry_price, distance, exit_price, exit_reason, ended_at, buy_r: micro(item.buy_r), sell_r: micro(item.sell_r), result_r: micro(item.result_r) };
    for (const [name, value] of Object.entries(shown))
      if ((outcome[name] ?? null) !== value) fault(nameOf(to), `${name} is stored as ${value}, entered as ${outcome[name]}`);
  }
  after = page.next;
}
for (const { to } of resolved) if (!listed.has(to)) fault(nameOf(to), "the signal is no longer shown");
// ---- Candles: as they were when they were sealed, and outcomes recomputed from them.
const minutesOf = (timeframe) => Number(timeframe.replace(/\D/g, "")) * { M: 1, H: 60, D: 1440, W: 10080, MN: 43200 }[timeframe.replace(/\d/g, "")];
const [iso, slotOf] = [(ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`, ({ symbol, timeframe }) => `${symbol}/${timeframe}`];
let [recomputed, unchecked] = [0, 0];
for (const slot of new Set(resolved.map(({ signal }) => slotOf(signal)))) {
  const [symbol, timeframe] = slot.split("/");
  const own = resolved.filter(({ signal }) => slotOf(signal) === slot);
  const [ranges, changes] = ["candles", "correction"].map((kind) => contents.flatMap((content, i) => content.kind === kind && slotOf(content) === slot ? [{ ...content, i }] : []));
  const sealed = new Map();
  for (let from = ranges.map((range) => range.from).sort()[0]; from; ) {
    const page = await json(`/api/public/candles?symbol=${symbol}&tf_code=${timeframe}&from=${from}`, true);
    for (const { ts, open, high, low, close } of page?.items ?? []) sealed.set(ts, [open, high, low, close]);
    from = page?.next;
  }
  if (sealed.size === 0) {
    unchecked += notes.push(`${slot}: its candles are not shown: ${ranges.length} hashes and ${own.length} outcomes were not recomputed`) && own.length;
    continue;
  }
  // Back to what was sealed: each correction says what was there before.
  for (const { i, ts, before, after } of changes.toReversed()) {
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
  for (const { to, signal, outcome } of own.filter((one) => one.outcome.label !== null)) {
    const k = changes.filter(({ i }) => i < to).length;
    if (!series.has(k)) series.set(k, seriesOf(sealed, changes.slice(0, k), outcome.atr_period));
    recomputed++;
    for (const [name, value] of Object.entries(judge(series.get(k), signal, outcome, minutesOf(timeframe)))) {
      const [said, margin] = [outcome[name], name.endsWith("_r") ? 1 : 1e-9 * Math.abs(value)];
      const same = typeof value === "number" && typeof said === "number" ? Math.abs(value - said) <= margin : value === said;
      if (!same && !(name === "ended_at" && timeframe === "MN1")) fault(nameOf(to), `${name} is ${value} by the candles, ${said} in the entry`);
    }
  }
}
function seriesOf(sealed, changes, period) {
  const candles = new Map([...sealed, ...changes.map(({ ts, after }) => [iso(1000 * ts), after])]);
  const ts = [...candles.keys()].sort();
  const [rows, atr] = [ts.map((time) => candles.get(time)), []];
  const ranges = rows.map(([, high, low], i) => Math.max(high - low, ...(i === 0 ? [] : [Math.abs(high - rows[i - 1][3]), Math.abs(low - rows[i - 1][3])])));
  const first = ranges.slice(0, period).reduce((sum, range) => sum + range, 0) / period;
  ranges.forEach((range, i) => atr.push(i < period - 1 ? Number.NaN : i === period - 1 ? first : ((period - 1) * atr[i - 1] + range) / period));
  return { ts, rows, atr, at: new Map(ts.map((time, i) => [time, i])) };
}
/** What became of a signal: barriers at D = multiple x ATR(Wilder) from the close, costs, the candles of the horizon. */
function judge({ ts, rows, atr, at }, signal, { atr_multiple, horizon_candles: horizon, cost, rule }, minutes) {
  const i = at.get(signal.ts);
  if (i === undefined || i + horizon >= rows.length || rule !== "1") return { rule: "known, and its candles are there" };
  const [entry, distance] = [rows[i][3], atr_multiple * atr[i]];
  const touch = (above, below, j = i + 1) => {
    const [up, down] = [rows[j][1] >= entry + above, rows[j][2] <= entry - below];
    if (up || down) return { side: up && down ? "both" : up ? "above" : "below", j };
    return j < i + horizon ? touch(above, below, j + 1) : { side: "none", j };
  };
  const [costR, rr] = [(cost.kind === "absolute" ? cost.value : cost.value * entry) / distance, signal.expected_rr > 0 ? signal.expected_rr : Number.POSITIVE_INFINITY];
  const follow = (way) => {
    const { side, j } = way > 0 ? touch(rr * distance, distance) : touch(distance, rr * distance);
    const [price, reason, gross] = side === "none" ? [rows[j][3], "TIMEOUT", (way * (rows[j][3] - entry)) / distance]
      : side === (way > 0 ? "above" : "below") ? [entry + way * rr * distance, "TP", rr] : [entry - way * distance, "SL", -1];
    return { price, reason, j, r: micro(gross - costR) };
  };
  const [buy, sell, first] = [follow(1), follow(-1), touch(distance, distance).side];
  const [own, end] = [{ BUY: buy, SELL: sell }[signal.signal], (j) => iso(Date.parse(ts[j]) + minutes * 60_000)];
  return { label: first === "above" ? "BUY" : first === "below" ? "SELL" : "NO_TRADE", entry_price: entry, distance, buy_r: buy.r, sell_r: sell.r, cost_r: micro(costR),
    result_r: own?.r ?? null, exit_price: own?.price ?? null, exit_reason: own?.reason ?? null, ended_at: end(own?.j ?? Math.max(buy.j, sell.j)),
    horizon_end: iso(Date.parse(ts[i + horizon]) + Date.parse(signal.closes_at) - Date.parse(signal.ts)) };
}
// ---- The record: what each signal adds, in whole numbers, and every figure made from the sums.
const [Z, WHO, THIRDS, streams] = [1.959963984540054, ["model", "coin", "frequencies"], [1 / 3, 1 / 3, 1 / 3], new Map()];
const [round, nano, pair] = [(value) => Math.round(value * 1e6) / 1e6, (value) => Math.round(value * 1e9), (ends) => ends.map(round)];
const total = (list, of) => list.reduce((sum, one) => sum + of(one), 0);
const error = (probs, k) => [0, 1, 2].reduce((sum, j) => sum + (probs[j] - (j === k ? 1 : 0)) ** 2, 0);
const rows = resolved.filter(({ to, outcome }) => to < record.ledger_size && outcome.label !== null).map(({ signal, outcome, simulated }) => {
  const [slot, model] = [slotOf(signal), signal.model_v];
  const busy = streams.get(`${slot} ${model}`) ?? streams.set(`${slot} ${model}`, {}).get(`${slot} ${model}`);
  const alone = (kind) => { if (signal.closes_at < (busy[kind] ?? "")) return 0; busy[kind] = outcome.horizon_end; return 1; };
  const k = ["BUY", "SELL", "NO_TRADE"].indexOf(outcome.label);
  const [probs, frequencies] = [[signal.prob_buy, signal.prob_sell, signal.prob_no], outcome.frequencies ?? THIRDS];
  const [gain, most] = [error(frequencies, k) - error(probs, k), Math.max(...[0, 1, 2].map((j) => Math.abs(error(frequencies, j) - error(probs, j))))];
  const result = (way, counted) => ({ r: way === "BUY" ? outcome.buy_r : outcome.sell_r, alone: counted });
  const [counted, results, edge] = [alone("all"), {}, frequencies[0] - frequencies[1]];
  if (signal.signal !== "NO_TRADE") {
    results.model = result(signal.signal, alone("followed"));
    results.coin = result(sha([signal.symbol, signal.timeframe, signal.ts, model].join("|"))[0] % 2 === 1 ? "BUY" : "SELL", results.model.alone);
  }
  if (Math.abs(edge) > outcome.cost_r / 1e6) results.frequencies = result(edge > 0 ? "BUY" : "SELL", alone("by frequencies"));
  return { slot, model, simulated, day: signal.closes_at.slice(0, 10), counted, directional: signal.signal !== "NO_TRADE", brier: nano(error(probs, k)),
    frequencies: nano(error(frequencies, k)), squares: nano(gain * gain), evidence: most === 0 ? 0 : nano(gain / most), results };
});
const wilson = (rate, n) => {
  if (n === 0) return [0, 1];
  const [centre, half, scale] = [rate + (Z * Z) / (2 * n), Z * Math.sqrt((rate * (1 - rate)) / n + (Z * Z) / (4 * n * n)), 1 + (Z * Z) / n];
  return [rate === 0 ? 0 : Math.max(0, (centre - half) / scale), rate === 1 ? 1 : Math.min(1, (centre + half) / scale)];
};
const meanOf = (mean, squares, n, alone) => [-1, 1].map((way) => mean + way * Z * Math.sqrt(Math.max(0, squares / n - mean * mean) / alone));
const byDay = (some, of) => {
  const sums = some.reduce((map, row) => map.set(row.day, (map.get(row.day) ?? 0) + of(row)), new Map());
  return [...sums].sort(([a], [b]) => a < b ? -1 : 1);
};
function resultsOf(some, who) {
  const own = some.flatMap((row) => row.results[who] ?? []);
  const [n, alone, wins, losses] = [own.length, total(own, (one) => one.alone), own.filter(({ r }) => r > 0).length, own.filter(({ r }) => r < 0).length];
  const [r, gain, enough] = [total(own, (one) => one.r), total(own, (one) => Math.max(one.r, 0)), n >= 50];
  const ci95 = meanOf(r / 1e6 / n, total(own, (one) => micro((one.r / 1e6) ** 2)) / 1e6, n, alone);
  let [sum, top, fall] = [0, 0, 0];
  for (const [, of] of byDay(some, (row) => row.results[who]?.r ?? 0)) { sum += of; top = Math.max(top, sum); fall = Math.max(fall, top - sum); }
  const [rate, isRate] = [wins / (wins + losses), enough && wins + losses > 0];
  return { n, n_independent: alone, enough, n_wins: wins, n_losses: losses, win_rate_pct: isRate ? round(100 * rate) : null,
    win_rate_ci95: isRate ? pair(wilson(rate, alone).map((end) => 100 * end)) : null, total_r: round(r / 1e6), expectancy_r: enough ? round(r / 1e6 / n) : null,
    expectancy_ci95: enough ? pair(ci95) : null, profit_factor: enough && gain > r ? round(gain / (gain - r)) : null, max_drawdown_r: round(fall / 1e6) };
}
function figuresOf(some) {
  const [n, alone, b, f] = [some.length, total(some, (row) => row.counted), total(some, (row) => row.brier), total(some, (row) => row.frequencies)];
  const [enough, mean, isSkill] = [n >= 50, f / 1e9 / n, n >= 50 && f > 0];
  const ci95 = meanOf((f - b) / 1e9 / n, total(some, (row) => row.squares) / 1e9, n, alone);
  const forecasts = { n, n_independent: alone, enough, n_directional: some.filter((row) => row.directional).length, brier: enough ? round(b / 1e9 / n) : null,
    brier_frequencies: enough ? round(mean) : null, brier_coin: enough ? round(2 / 3) : null, skill: isSkill ? round(1 - b / f) : null,
    skill_ci95: isSkill ? pair(ci95.map((end) => end / mean)) : null };
  return { forecasts, ...Object.fromEntries(WHO.map((who) => [who, resultsOf(some, who)])) };
}
/** By what factor betting against luck has multiplied its stake, over the days of a slot. */
function evidenceOf(parts, minutes) {
  const wealth = Array.from({ length: Math.ceil(1.4 * ((12 * minutes * 60_000) / 86_400_000)) + 3 }, () => [1, 1, 1, 1, 1]);
  for (const [day, part] of parts.filter(([, one]) => one !== 0)) {
    const account = wealth[(Date.parse(day) / 86_400_000) % wealth.length];
    [0.05, 0.1, 0.2, 0.4, 0.8].forEach((stake, k) => { account[k] = Math.min(1e15, account[k] * Math.max(0, 1 + stake * part)); });
  }
  return round(total(wealth.flat(), (one) => one) / wealth.flat().length);
}
const order = (a, b) => { const [[s, t], [u, v]] = [a.split("/"), b.split("/")]; return s === u ? minutesOf(t) - minutesOf(v) : s < u ? -1 : 1; };
const items = [...new Set(rows.map(({ slot }) => slot))].sort(order).map((slot, _, { length }) => {
  const [own, [symbol, tf_code]] = [rows.filter((row) => row.slot === slot), slot.split("/")];
  const weigh = (of, unit, scale) => {
    const parts = byDay(own, of).map(([day, sum]) => [day, sum / unit / (scale * Math.max(1, 1440 / minutesOf(tf_code)))]);
    const [value, needed] = [evidenceOf(parts, minutesOf(tf_code)), round((2 * length) / 0.05)];
    return { value, needed, shown: value >= needed };
  };
  return { symbol, tf_code, simulated: own.some((row) => row.simulated), models: [...new Set(own.map(({ model }) => model))].sort(), ...figuresOf(own),
    evidence: { direction: weigh((row) => row.results.model?.r ?? 0, 1e6, 2), probability: weigh((row) => row.evidence, 1e9, 1) } };
});
const judged = items.filter(({ forecasts }) => forecasts.n >= 50);
const followed = judged.filter(({ model }) => model.n >= 50);
const [n, m, d, p] = [judged.length, followed.length, ...[[followed, "direction"], [judged, "probability"]].map(([all, of]) => all.filter((one) => one.evidence[of].shown).length)];
const on = (k, all) => items.length === 1 ? "" : ` on ${k} of ${all} ${all === 1 ? "slot" : "slots"}`;
const direction = m === 0 ? "too few were given to be judged" : d === 0 ? `not shown to be better than a coin${on(m, m)}` : `shown to pay after costs${on(d, m)}`;
const probability = p === 0 ? `not shown to be better than the class frequencies${on(n, n)}` : `shown to be better than the class frequencies${on(p, n)}`;
const text = n === 0 ? `Not enough results yet: ${items.length === 1 ? "fewer than" : "no slot has"} 50 resolved signals.` : `Direction: ${direction}. Probability: ${probability}.`;
const days = [...new Set(rows.map(({ day }) => day))].sort();
const [r, coinR, frequenciesR] = WHO.map((who) => { let sum = 0; return byDay(rows, (row) => row.results[who]?.r ?? 0).map(([, one]) => round((sum += one) / 1e6)); });
const expected = { ledger_size: record.ledger_size, simulated: items.some((one) => one.simulated), from: null, to: null, first_day: days[0] ?? null,
  last_day: days.at(-1) ?? null, headline: { text, n_slots: n, n_direction: d, n_probability: p }, total: figuresOf(rows), count: items.length, items,
  curve: days.map((date, i) => ({ date, r: r[i], coin_r: coinR[i], frequencies_r: frequenciesR[i] })),
  months: [...new Set(days.map((day) => day.slice(0, 7)))].map((month) => {
    const own = rows.filter(({ day }) => day.startsWith(month));
    const [{ forecasts: { brier, brier_frequencies, skill } }, sums] = [figuresOf(own), WHO.map((who) => round(total(own, (row) => row.results[who]?.r ?? 0) / 1e6))];
    return { month, n: own.length, n_followed: own.filter((row) => row.results.model).length, total_r: sums[0], coin_r: sums[1], frequencies_r: sums[2], brier, brier_frequencies, skill };
  }) };
let figures = 0;
(function compare(said, made, path) {
  if (typeof made === "number") figures++;
  if (typeof made !== "object" || made === null) return JSON.stringify(said) === JSON.stringify(made) || fault(path, `is ${said}, and ${made} by the ledger`);
  for (const name of new Set([...Object.keys(said ?? {}), ...Object.keys(made)])) compare(said?.[name], made[name], `${path}.${name}`);
})(record, expected, "record");
// ---- What was found.
const later = resolved.filter((one) => one.entered_later).length;
console.log(`Ledger ${origin}: ${size} entries, signed by ${vkey}`);
console.log(`Signals: ${resolved.length} revealed; ${resolved.length - later} were committed to before; ${later} were entered later.`);
console.log(`Outcomes: ${recomputed} recomputed from candles, ${unchecked} not, for want of candles. Figures of the record: ${figures} recomputed.`);
report();
function report() {
  for (const note of notes) console.log(`Not checked: ${note}`);
  for (const [where, what] of [...faults].slice(0, 50)) console.log(`WRONG ${where}: ${what}`);
  console.log(faults.size === 0 ? "Everything that could be checked is right." : `Wrong in ${faults.size} places.`);
  process.exitCode = faults.size === 0 ? 0 : 1;
}
