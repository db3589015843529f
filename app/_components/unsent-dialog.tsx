import { buttonClass } from "./button";

const ID = "unsent";

/**
 * Says that a form was not sent and that what was typed is still in it. `app/_browser/unsent.ts` opens it.
 * `signIn`: address of the sign-in.
 */
export function UnsentDialog({ ended, signIn }: { ended: string; signIn: string }) {
  return (
    <dialog
      id={ID}
      data-unsent
      aria-labelledby="unsent-title"
      aria-describedby="unsent-text"
      className="m-auto w-[min(28rem,calc(100vw-2rem))] rounded-lg border bg-raised p-6 text-base text-ink shadow-float"
    >
      <h2 id="unsent-title" className="text-lg">
        Not sent yet
      </h2>
      <div id="unsent-text" className="mt-2 text-sm text-muted">
        <p data-unsent-says="ended">
          {ended} What you typed is still on this page. Sign in again in a new tab, then come back and send
          the form.
        </p>
        <p data-unsent-says="failed" hidden>
          The service did not answer. What you typed is still on this page. Try again in a moment.
        </p>
      </div>
      <div className="mt-6 flex flex-wrap justify-end gap-2">
        <button type="button" command="close" commandfor={ID} className={buttonClass("secondary")}>
          Back to the form
        </button>
        <a
          data-unsent-says="ended"
          href={signIn}
          target="_blank"
          rel="noreferrer"
          className={buttonClass("primary")}
        >
          Sign in in a new tab
        </a>
      </div>
    </dialog>
  );
}
