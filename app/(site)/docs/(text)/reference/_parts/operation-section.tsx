import { Fragment } from "react";
import { CodeBlock } from "@/app/_components/code-block";
import { Link } from "@/app/_components/link";
import type { ReferenceOperation } from "@/lib/api/openapi/reference";
import { paths } from "@/lib/paths";
import { FieldTable } from "./field-table";
import { InCode } from "./in-code";

const ACCESS: Record<ReferenceOperation["access"], string> = {
  key: "Needs a subscriber's key in X-API-Key.",
  admin: "Needs the administrator secret in X-Admin-Secret.",
  feed: "Needs a feed token in X-Feed-Token: the administrator makes them under Feeds.",
  signature: "Needs a signature of the raw body in x-signature.",
  anyone: "Needs no key.",
};

/** One operation: what it does, what to send, what comes back, what can go wrong. */
export function OperationSection({ operation }: { operation: ReferenceOperation }) {
  const { id, method, path, parameters, body, answer, errors } = operation;
  const name = `${method} ${path}`;
  const statuses = [...new Set(errors.map((error) => error.status))];
  return (
    <section aria-labelledby={id} className="mt-10 border-t pt-8">
      <h3 id={id} className="scroll-mt-24 font-mono text-base break-words">
        <a href={`#${id}`} className="hover:underline">
          {name}
        </a>
      </h3>
      <p className="mt-2 font-medium">{operation.summary}</p>
      <p>
        <InCode text={operation.description} /> <span className="text-muted">{ACCESS[operation.access]}</span>
      </p>
      <CodeBlock name={`curl, ${name}`} code={operation.curl} />
      {parameters.length > 0 && <FieldTable caption={`Parameters of ${name}`} fields={parameters} />}
      {body && (
        <>
          <h4>Body</h4>
          <FieldTable caption={`Fields of the body of ${name}`} fields={body.fields} />
          <CodeBlock name={`Body, ${name}`} code={JSON.stringify(body.example, null, 2)} />
        </>
      )}
      <h4>Answer {answer.status}</h4>
      <p>{answer.description}.</p>
      <CodeBlock name={`${answer.status}, ${name}`} code={JSON.stringify(answer.example, null, 2)} />
      {answer.fields.length > 0 && (
        <details className="rounded-lg border bg-raised">
          <summary className="min-h-11 px-4 py-2.5 text-sm font-medium">
            Fields of the answer ({answer.fields.length})
          </summary>
          <FieldTable caption={`Fields of the answer of ${name}`} fields={answer.fields} always />
        </details>
      )}
      <h4>Errors</h4>
      <dl className="grid grid-cols-[3rem_1fr] gap-x-3 gap-y-1.5 text-sm">
        {statuses.map((status) => (
          <Fragment key={status}>
            <dt className="font-medium tabular-nums">{status}</dt>
            <dd className="flex flex-wrap gap-x-3">
              {errors
                .filter((error) => error.status === status)
                .map((error) => (
                  <Link
                    key={error.code}
                    href={paths.docs("errors", error.code)}
                    title={error.detail}
                    className="link inline-flex min-h-6 items-center font-mono text-[0.8125rem]"
                  >
                    {error.code}
                  </Link>
                ))}
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}
