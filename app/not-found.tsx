import { connection } from "next/server";
import { paths } from "@/lib/paths";
import { LinkButton } from "./_components/button";
import { ErrorPageFrame } from "./_components/error-page-frame";
import { Logo } from "./_components/logo";

export const metadata = { title: "Not found" };

export default async function NotFound() {
  await connection();
  return (
    <ErrorPageFrame
      status="404"
      title="There is nothing at this address."
      logo={<Logo />}
      actions={
        <>
          <LinkButton href={paths.home()} variant="primary">
            Front page
          </LinkButton>
          <LinkButton href={paths.docs()}>Documentation</LinkButton>
          <LinkButton href={paths.status()}>Status</LinkButton>
        </>
      }
    >
      <p>The link may be old or misspelt. If it came from one of our pages or mails, tell us.</p>
    </ErrorPageFrame>
  );
}
