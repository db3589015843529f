import { LinkButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { paths } from "@/lib/paths";

export const metadata = { title: "Your account" };

const DONE: Record<string, { title: string; text: string }> = {
  deleted: {
    title: "Your account is deleted",
    text: "Your keys have stopped working. Nothing here identifies you any more, except in backups until they are replaced. We send no confirmation because we no longer have your address.",
  },
  waits_for_other: {
    title: "Confirmed",
    text: "The other address has to confirm as well, within an hour of the request. Until then nothing changes.",
  },
  address_changed: {
    title: "Your address is changed",
    text: "Sign in with the new one from now on. Both addresses get a mail about it.",
  },
};

type Params = Promise<{ what?: string | string[] }>;

/** The result of a mailed link to delete an account or change its address. */
export default async function AccountDonePage({ searchParams }: { searchParams: Params }) {
  const { what } = await searchParams;
  const done = typeof what === "string" && Object.hasOwn(DONE, what) ? DONE[what] : undefined;
  return (
    <>
      <h1 className="text-2xl">Your account</h1>
      <div className="mt-6">
        {done && (
          <Notice tone="done" title={done.title} announce>
            {done.text}
          </Notice>
        )}
      </div>
      <div className="mt-6">
        <LinkButton href={what === "deleted" ? paths.home() : paths.login()} variant="primary">
          {what === "deleted" ? "Go to the front page" : "Sign in"}
        </LinkButton>
      </div>
    </>
  );
}
