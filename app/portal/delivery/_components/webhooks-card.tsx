import { Lock, Webhook } from "lucide-react";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Link } from "@/app/_components/link";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { SeenBy } from "@/app/portal/_components/seen-by";
import type { EndpointRow } from "@/db/queries/webhook-endpoints";
import { plans } from "@/lib/access/plans";
import { MOST_ENDPOINTS } from "@/lib/outbound/webhooks/endpoints";
import { paths } from "@/lib/paths";
import { subscriberShop } from "@/lib/runtime/renewal-link";
import { EndpointFields } from "./endpoint-fields";
import { EndpointStatePill } from "./endpoint-state";

/** The subscriber's endpoints, and the form for another one. */
export function WebhooksCard({
  subscriptionId,
  hasWebhooks,
  endpoints,
  waiting,
  form,
}: {
  subscriptionId: number;
  /** By one of the plans in force. */
  hasWebhooks: boolean;
  endpoints: EndpointRow[];
  waiting: ReadonlyMap<number, number>;
  form: FormState;
}) {
  const shopUrl = subscriberShop(subscriptionId);
  if (!hasWebhooks) {
    const webhookPlan = plans().find(({ webhooks, isShown }) => webhooks && isShown);
    return (
      <Card title="Webhooks" flush>
        <EmptyState
          icon={Lock}
          title={
            webhookPlan ? `Webhooks come with the plan ${webhookPlan.title}` : "Your plan has no webhooks"
          }
          actions={
            <>
              {shopUrl && (
                <LinkButton href={shopUrl} variant="primary">
                  Change the plan
                </LinkButton>
              )}
              <LinkButton href={paths.docs("webhooks-out")}>What they are</LinkButton>
            </>
          }
        >
          Signals and results are then posted to your own server as they are made.
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <Card
        title="Webhooks"
        lead="We post to your server as soon as something happens: signed, in order, and again until your server accepts it."
        actions={
          <LinkButton href={paths.docs("webhooks-out")} size="small">
            How to receive them
          </LinkButton>
        }
        flush
      >
        {endpoints.length > 0 ? (
          <DataTable
            caption="Your endpoints"
            columns={columns(waiting)}
            rows={endpoints}
            rowKey={(row) => row.endpointId}
          />
        ) : (
          <EmptyState icon={Webhook} title="No endpoint yet">
            Enter an address below. Its secret is shown once.
          </EmptyState>
        )}
      </Card>
      <Card title="New endpoint" lead={`Up to ${MOST_ENDPOINTS} for a subscription.`}>
        {endpoints.length >= MOST_ENDPOINTS ? (
          <p className="text-sm text-muted">You have {MOST_ENDPOINTS}. Delete one to make another.</p>
        ) : (
          <form method="post" action={paths.portalDeliveryForm("create-webhook")} className="space-y-6">
            <SeenBy />
            <EndpointFields form={form} stored={{ url: "", events: ["signal.created", "signal.resolved"] }} />
            <Button type="submit" variant="primary">
              Make the endpoint
            </Button>
          </form>
        )}
      </Card>
    </>
  );
}

const columns = (waiting: ReadonlyMap<number, number>): Column<EndpointRow>[] => [
  {
    key: "url",
    header: "Address",
    primary: true,
    cell: (row) => (
      <Link href={paths.portalWebhook(row.endpointId)} className="link break-all">
        {row.url}
      </Link>
    ),
  },
  { key: "events", header: "Events", cell: (row) => row.events.join(", ") },
  { key: "state", header: "State", cell: (row) => <EndpointStatePill endpoint={row} /> },
  { key: "waiting", header: "Waiting", align: "right", cell: (row) => waiting.get(row.endpointId) ?? 0 },
];
