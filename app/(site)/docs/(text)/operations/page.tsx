import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import alerts from "@/docs/operations/alerts.md";
import runbook from "@/docs/operations/README.md";
import { Markdown } from "./markdown";

export const metadata = {
  title: "Running the service",
  description: "Installing, upgrading, backing up and restoring the service on machines of your own.",
};

/** The runbook as it stands in docs/operations. */
export default function Operations() {
  return (
    <Article
      page="operations"
      title="Running the service"
      lead="From the first installation to the worst day, with commands to copy."
    >
      <Markdown text={runbook} hrefOf={addressOnSite} />
      <h2 id="alerts">Alerts</h2>
      <Markdown text={alerts} hrefOf={addressOnSite} />
    </Article>
  );
}

/** A section of this page; files of the repository have no address here. */
function addressOnSite(to: string): string | null {
  if (to === "alerts.md") return "#alerts";
  return to.startsWith("#") ? to : null;
}
