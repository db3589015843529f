import type { ReactNode } from "react";
import { DataTable } from "@/app/_components/data-table";

type Fact = readonly [name: string, meaning: ReactNode, ...more: ReactNode[]];

/** Names with what they mean: fields, headers, codes. `mono` writes the names as code. */
export function Facts({
  caption,
  headers = ["Name", "Meaning"],
  rows,
  mono = true,
}: {
  caption: string;
  headers?: readonly [string, string, ...string[]];
  rows: readonly Fact[];
  mono?: boolean;
}) {
  return (
    <div className="overflow-hidden rounded-lg border bg-raised">
      <DataTable<Fact>
        caption={caption}
        wrap
        rows={rows}
        rowKey={(row) => row[0]}
        columns={headers.map((header, index) => ({
          key: header,
          header,
          primary: index === 0,
          cell: (row) =>
            index === 0 && mono ? (
              <code className="font-mono text-[0.8125rem] font-medium">{row[0]}</code>
            ) : (
              row[index]
            ),
        }))}
      />
    </div>
  );
}
