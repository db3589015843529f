import { Eye } from "lucide-react";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CodeBlock } from "@/app/_components/code-block";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { adminPaths } from "@/lib/paths";

/** A button that reveals the body of a delivery once, or the revealed body. */
export function PayloadCard({ id, payload }: { id: number; payload: string | null }) {
  if (payload !== null) return <CodeBlock name="Payload, shown once" code={indented(payload)} />;
  return (
    <Card
      title="Payload"
      lead="The body as it was received, stored encrypted. It holds the buyer's name and address: reading it leaves an audit row."
    >
      <ActionForm needs="payment.reveal" action={adminPaths.deliveryForm(id, "reveal")}>
        <Button type="submit">
          <Eye aria-hidden="true" />
          Read the payload
        </Button>
      </ActionForm>
    </Card>
  );
}

/** JSON with line breaks; other text unchanged. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
