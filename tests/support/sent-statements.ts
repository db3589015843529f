import { db, workerDb } from "@/db/client";

/** A statement as sent by the driver. */
export interface SentStatement {
  text: string;
  parameters: (string | number)[];
}

/** Every query and every INSERT, UPDATE or DELETE that the service's pools send while `run` runs, in order. */
export async function statementsOf(run: () => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = [];
  const clients = [db(), db("heavy"), workerDb()].map(({ $client }) => $client.options);
  const before = clients.map(({ debug }) => debug);
  for (const client of clients)
    client.debug = (_, text, parameters) => {
      // The driver's types leave parameters open; the queries here send text and numbers.
      sent.push({ text, parameters: parameters as (string | number)[] });
    };
  try {
    await run();
  } finally {
    clients.forEach((client, i) => {
      client.debug = before[i] ?? false;
    });
  }
  return sent.filter(({ text }) => /^\s*(select|with|insert|update|delete)\b/i.test(text));
}
