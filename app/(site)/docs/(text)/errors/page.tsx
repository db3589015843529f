import { CodeBlock } from "@/app/_components/code-block";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { ERRORS, type ErrorCode } from "@/lib/wire/errors";
import { ADVICE } from "./advice";

export const metadata = { title: "Errors", description: "Every error code, what it means and what to do." };

// Object.keys gives text; ERRORS has no other keys than its codes.
const CODES = Object.keys(ERRORS) as ErrorCode[];
const STATUSES = [...new Set(CODES.map((code) => ERRORS[code].status))].sort((a, b) => a - b);

const EXAMPLE = `{
  "detail": "This API key was replaced by a newer one. Use the new key.",
  "code": "key_rotated",
  "request_id": "7b0c1f5e9a"
}`;

export default function Errors() {
  return (
    <Article
      page="errors"
      title="Errors"
      lead="Every answer with a status of 400 or more has the same body: a sentence for people, a word for programs, and an id for us."
    >
      <CodeBlock name="401" code={EXAMPLE} />
      <p>
        Decide by <code>code</code>: codes are added but never renamed. <code>detail</code> may change its
        wording. With 422 there is also <code>errors</code>, a list with the place, the message and the kind
        of each. The exceptions are <code>GET /api/health</code> and <code>GET /api/health/ready</code>, whose
        503 says in their own shape what is wrong. Repeat only 429, 500, 502, 503 and 504, after{" "}
        <code>Retry-After</code> where it is given.
      </p>
      {STATUSES.map((status) => (
        <section key={status} className="mt-10">
          <h2 id={`status-${status}`} className="tabular-nums">
            {status}
          </h2>
          <dl className="mt-3 divide-y border-y">
            {CODES.filter((code) => ERRORS[code].status === status).map((code) => (
              <div key={code} id={code} className="scroll-mt-24 py-4">
                <dt>
                  <code className="font-mono text-sm font-semibold">{code}</code>
                </dt>
                <dd className="mt-1 text-base">
                  {ERRORS[code].detail} <span className="text-muted">{ADVICE[code]}</span>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Article>
  );
}
