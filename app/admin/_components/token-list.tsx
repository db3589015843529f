import { formatInstant } from "@/app/_components/times";
import { ActionDialog } from "@/app/admin/_components/action-controls";

interface Token {
  id: number;
  name: string;
  hint: string;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
  /** The slots it may send, if the list contains tokens for different slots. */
  slots?: string;
}

/** Tokens with their last use, and a revoke button for each active one. */
export function TokenList({
  tokens,
  needs,
  action,
  consequence,
}: {
  tokens: readonly Token[];
  needs: string;
  action: string;
  consequence: string;
}) {
  if (tokens.length === 0) return null;
  return (
    <ul className="divide-y border-y text-sm">
      {tokens.map((token) => (
        <li key={token.id} className="flex flex-wrap items-center justify-between gap-3 py-3">
          <div className="min-w-0">
            <p className="font-medium">
              {token.name} <code className="font-mono text-xs text-muted">{token.hint}</code>
            </p>
            {token.slots && <p className="break-words text-muted">{token.slots}</p>}
            <p className="text-muted">{usageOf(token)}</p>
          </div>
          {token.revokedAt === null && (
            <ActionDialog
              needs={needs}
              trigger="Revoke"
              triggerVariant="quiet"
              triggerSize="small"
              title={`Revoke the token of ${token.name}?`}
              consequence={consequence}
              confirmLabel="Revoke"
              action={action}
              fields={{ id: String(token.id) }}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function usageOf({ revokedAt, lastUsedAt }: Token): string {
  if (revokedAt !== null) return `revoked ${formatInstant(revokedAt)}`;
  return lastUsedAt === null ? "never used" : `last used ${formatInstant(lastUsedAt)}`;
}
