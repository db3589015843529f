import type postgres from "postgres";
import { afterFreeTime } from "@/lib/time";

export interface Asked<T> {
  /** What came first, and the client that it came over: another one than was asked at first when that one was late. */
  answered: Promise<{ answer: T; client: postgres.Sql }>;
  /** Lets go of every connection that has not answered. */
  giveUp(): void;
}

/**
 * Asks over `client`, and after `lateMs` without an answer once more over a new one from `open`: connections may fall silent
 * alone, while the database is there (decision 342). Fails as the first one did when neither answers. What was late is let go
 * of; whoever asked goes on with the client that answered.
 */
export function askTwice<T>(
  client: postgres.Sql,
  open: () => postgres.Sql,
  lateMs: number,
  ask: (client: postgres.Sql) => Promise<T>,
): Asked<T> {
  let newer: postgres.Sql | null = null;
  let isOver = false;
  let callOff = () => {};
  const end = (...silent: (postgres.Sql | null)[]) => {
    isOver = true;
    callOff();
    for (const one of silent) if (one) letGo(one);
  };
  const answered = new Promise<{ answer: T; client: postgres.Sql }>((done, fail) => {
    let failure: { error: unknown } | null = null;
    const askAnew = (second: postgres.Sql) => {
      newer = second;
      ask(second).then(
        (answer) => {
          if (isOver) return;
          end(client);
          done({ answer, client: second });
        },
        () => {
          newer = null;
          letGo(second);
          if (failure) fail(failure.error);
        },
      );
    };
    callOff = afterFreeTime(lateMs, () => isOver || askAnew(open()));
    ask(client).then(
      (answer) => {
        if (isOver) return;
        end(newer);
        done({ answer, client });
      },
      (error: unknown) => {
        failure = { error };
        if (newer !== null && !isOver) return;
        end();
        fail(error);
      },
    );
  });
  return { answered, giveUp: () => end(client, newer) };
}

export function letGo(client: postgres.Sql): void {
  void client.end({ timeout: 0 }).catch(() => undefined);
}
