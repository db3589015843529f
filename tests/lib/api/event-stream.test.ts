import { afterEach, expect, it, vi } from "vitest";
import { EventStream, encodeEvents } from "@/lib/api/watch/event-stream";

afterEach(() => void vi.useRealTimers());

it("a slow client is kept while it reads, and dropped after ten seconds in which it reads nothing", async () => {
  vi.useFakeTimers();
  let nEnded = 0;
  const stream = new EventStream(new Request("http://localhost/"), () => nEnded++);
  const reader = stream.body.getReader();
  const quarter = encodeEvents("x".repeat(16 * 1024));
  for (let i = 0; i < 4; i++) await stream.write(quarter);

  const slow = stream.write(encodeEvents("y".repeat(64 * 1024)));
  for (let i = 0; i < 4; i++) {
    await vi.advanceTimersByTimeAsync(9_000);
    expect(stream.isOpen).toBe(true);
    await reader.read();
  }
  await slow;

  await reader.read();
  for (let i = 0; i < 3; i++) await stream.write(quarter);
  const stuck = stream.write(encodeEvents("z".repeat(32 * 1024)));
  await vi.advanceTimersByTimeAsync(5_000);
  // A comment that still has room is no sign of a reader.
  stream.writeIfRoom(encodeEvents(": \n\n"));
  await vi.advanceTimersByTimeAsync(5_000);
  await stuck;
  expect([stream.isOpen, nEnded]).toEqual([false, 1]);
});
