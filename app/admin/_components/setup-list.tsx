import { ArrowRight, Circle, CircleCheck } from "lucide-react";
import { roleForPage, roleIncludes } from "@/lib/access/people/roles";
import type { SetupStep } from "@/lib/admin/setup/steps";
import { requireAdminSession } from "@/lib/auth/require-admin-session";

/** The steps of a new installation. An owner has a link to each; others have links to the pages that they may read. */
export async function SetupList({ steps }: { steps: readonly SetupStep[] }) {
  const { role } = await requireAdminSession();
  const isOwner = roleIncludes(role, "owner");
  return (
    <>
      <ol className="divide-y">
        {steps.map(({ id, title, text, href, isDone }) => (
          <li key={id} className="flex items-center gap-3 px-4 py-3 sm:px-6">
            {isDone ? (
              <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-up" />
            ) : (
              <Circle aria-hidden="true" className="size-5 shrink-0 text-faint" />
            )}
            <div className="min-w-0 flex-1">
              <p className={isDone ? "text-muted" : "font-medium"}>
                <span className="sr-only">{isDone ? "Done: " : "To do: "}</span>
                {title}
              </p>
              {!isDone && <p className="text-sm text-muted">{text}</p>}
            </div>
            {roleIncludes(role, roleForPage(href)) && (
              <StepLink href={href} title={title} label={isDone || !isOwner ? "Open" : "Start"} />
            )}
          </li>
        ))}
      </ol>
      {!isOwner && (
        <p className="border-t px-4 py-3 text-sm text-muted sm:px-6">Only an owner can do these steps.</p>
      )}
    </>
  );
}

function StepLink({ href, title, label }: { href: string; title: string; label: string }) {
  return (
    <a
      href={href}
      aria-label={`${label}: ${title}`}
      className="inline-flex min-h-8 shrink-0 items-center gap-1.5 text-sm font-medium text-accent hover:underline"
    >
      {label}
      <ArrowRight aria-hidden="true" className="size-4" />
    </a>
  );
}
