import { connection } from "next/server";
import { CodeBlock } from "@/app/_components/code-block";
import { Link } from "@/app/_components/link";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { OPERATIONS } from "@/app/operations.generated";
import { makeReference } from "@/lib/api/openapi/reference";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { OperationSection } from "./_parts/operation-section";

export const metadata = {
  title: "API reference",
  description: "Every path, field, status and error of the interface, made from its OpenAPI description.",
};

/** Every operation of the interface with what to send, what comes back and what can go wrong. */
export default async function Reference() {
  await connection();
  const groups = processWide("reference", () => makeReference(OPERATIONS, env().baseUrl));
  return (
    <Article
      page="reference"
      title="API reference"
      lead={
        <>
          Every operation, made from the same description that requests and answers are held against:{" "}
          <a href={paths.openapi()} className="link">
            openapi.json
          </a>{" "}
          (OpenAPI 3.1). To begin, read the{" "}
          <Link href={paths.docs()} className="link">
            quick start
          </Link>
          .
        </>
      }
    >
      <nav aria-label="Operations" className="rounded-lg border bg-raised px-4 py-4 text-sm sm:px-6">
        <dl className="space-y-4">
          {groups.map((group) => (
            <div key={group.name}>
              <dt className="font-medium">{group.name}</dt>
              {group.operations.map((operation) => (
                <dd key={operation.id} className="mt-0.5">
                  <a href={`#${operation.id}`} className="group inline-flex min-h-6 flex-wrap gap-x-3">
                    <code className="font-mono text-[0.8125rem] group-hover:underline">
                      {operation.method} {operation.path}
                    </code>
                    <span className="text-muted">{operation.summary}</span>
                  </a>
                </dd>
              ))}
            </div>
          ))}
        </dl>
      </nav>
      {groups.map((group) => (
        <section key={group.name}>
          <h2 id={group.name.toLowerCase()}>{group.name}</h2>
          <p>{group.description}</p>
          {group.operations.map((operation) => (
            <OperationSection key={operation.id} operation={operation} />
          ))}
        </section>
      ))}
      <section>
        <h2 id="client">A client in TypeScript</h2>
        <p>
          The sources of the service hold one, in <code>lib/api/client</code>: every path typed, a stream that
          goes on by itself, waiting requests, and no dependencies.{" "}
          <code>npm pack ./lib/api/client/package</code> makes it a package. The types alone can be had from
          the description, for instance with openapi-typescript:
        </p>
        <CodeBlock
          name="Shell"
          code={`npx openapi-typescript ${env().baseUrl}${paths.openapi()} -o signal-delivery.d.ts`}
        />
      </section>
    </Article>
  );
}
