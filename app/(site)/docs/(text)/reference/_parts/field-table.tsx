import { ScrollRegion } from "@/app/_components/scroll-region";
import type { ReferenceField } from "@/lib/api/openapi/reference";
import { InCode } from "./in-code";

/** Names, types and meanings. `always`: every field is there, so that only the exceptions are marked. */
export function FieldTable({
  caption,
  fields,
  always = false,
}: {
  caption: string;
  fields: readonly ReferenceField[];
  always?: boolean;
}) {
  return (
    <ScrollRegion label={caption}>
      <table className="w-full text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b text-left text-xs text-muted">
            <th scope="col" className="px-4 py-2 font-medium">
              Name
            </th>
            <th scope="col" className="px-4 py-2 font-medium">
              Type
            </th>
            <th scope="col" className="px-4 py-2 font-medium">
              Meaning
            </th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {fields.map((field) => (
            <tr key={field.name}>
              <th scope="row" className="px-4 py-2 text-left align-top font-normal whitespace-nowrap">
                <code className="font-mono text-[0.8125rem] font-medium">{field.name}</code>
                {!always && field.required && <span className="ml-2 text-xs text-muted">required</span>}
                {always && !field.required && <span className="ml-2 text-xs text-muted">not always</span>}
              </th>
              <td className="px-4 py-2 align-top text-muted">{field.type}</td>
              <td className="min-w-48 px-4 py-2 align-top">
                <InCode text={field.meaning} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
