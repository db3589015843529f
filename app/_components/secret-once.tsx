import { buttonClass } from "./button";
import { CopyButton } from "./copy-button";
import { Checkbox } from "./form/checkbox";
import { Notice } from "./notice";

/** Shows a secret once. The link onwards appears when the visitor ticks that the secret is saved. */
export function SecretOnce({
  name,
  secret,
  continueHref,
  continueLabel = "Continue",
  storage = "Once this page has shown it and its mail is sent, we keep only its fingerprint and its first and last four characters.",
}: {
  name: string;
  secret: string;
  continueHref: string;
  continueLabel?: string;
  /** A sentence that says what the service stores of the secret. */
  storage?: string;
}) {
  return (
    <div className="group/secret space-y-4">
      <Notice tone="warn" title={`The ${name} is shown only once`} announce>
        {storage} Save it now. If it is lost, you need a new one.
      </Notice>
      <div className="flex flex-wrap items-center gap-2 rounded-lg border border-edge/60 bg-sunken p-2 pl-4">
        <code className="min-w-0 flex-1 font-mono text-sm break-all select-all">{secret}</code>
        <CopyButton text={secret} what={name} />
      </div>
      <Checkbox label="I have saved it" autoComplete="off" />
      <div className="hidden group-has-checked/secret:block">
        <a href={continueHref} className={buttonClass("primary")}>
          {continueLabel}
        </a>
      </div>
      <div className="flex flex-wrap items-center gap-3 group-has-checked/secret:hidden">
        <button type="button" disabled className={buttonClass("primary")} aria-describedby="secret-once-why">
          {continueLabel}
        </button>
        <span id="secret-once-why" className="text-sm text-muted">
          Tick the box above to continue.
        </span>
      </div>
    </div>
  );
}
