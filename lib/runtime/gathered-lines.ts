import type pino from "pino";

type Destination = ReturnType<typeof pino.destination>;

/**
 * Has a destination of the log get its lines many at a time: as many as `bytes` hold, or whatever there is when it is
 * flushed. By itself it would measure all that waits anew at each line, which costs as much as making the line.
 */
export function gatherLines(destination: Destination, bytes: number): void {
  const write = destination.write.bind(destination);
  const flush = destination.flush.bind(destination);
  const flushSync = destination.flushSync.bind(destination);
  let gathered = "";
  let nBytes = 0;
  const handOver = () => {
    if (gathered === "") return;
    const lines = gathered;
    gathered = "";
    nBytes = 0;
    write(lines);
  };
  destination.write = (line) => {
    const added = Buffer.byteLength(line);
    if (nBytes + added > bytes) handOver();
    gathered += line;
    nBytes += added;
    return true;
  };
  destination.flush = (done) => {
    handOver();
    flush(done);
  };
  destination.flushSync = () => {
    handOver();
    flushSync();
  };
}
