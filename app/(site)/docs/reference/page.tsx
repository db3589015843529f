import { Link } from "@/app/_components/link";
import { paths } from "@/lib/paths";
import { ApiReference } from "./api-reference";

export const metadata = {
  title: "API reference",
  description: "Every path, field, status and error of the interface, made from its OpenAPI description.",
};

/** The interactive reference, drawn in the browser from the description that the service itself answers with. */
export default function Reference() {
  return (
    <>
      <div className="mx-auto flex max-w-6xl flex-wrap items-baseline justify-between gap-x-8 gap-y-2 px-4 pt-10 pb-6 sm:px-6">
        <h1 className="text-2xl">API reference</h1>
        <p className="text-sm text-muted">
          Made from{" "}
          <a href={paths.openapi()} className="link">
            openapi.json
          </a>
          . To read first: the{" "}
          <Link href={paths.docs()} className="link">
            quick start
          </Link>
          .
        </p>
      </div>
      <ApiReference description={paths.openapi()} script={paths.referenceScript()} />
    </>
  );
}
