import { Lock } from "lucide-react";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { ShownSubscriptionField } from "@/app/portal/_components/shown-subscription-field";
import type { EndpointRow } from "@/db/queries/webhook-endpoints";
import { plans } from "@/lib/access/plans";
import { MAX_ENDPOINTS } from "@/lib/outbound/webhooks/endpoints";
import { paths } from "@/lib/paths";
import { subscriberShopUrl } from "@/lib/runtime/renewal-link";
import { EndpointFields } from "./endpoint-fields";
import { EndpointStatePill } from "./endpoint-state";

/** The subscriber's endpoints, and the form for a new one. */
export function WebhooksCard({
  subscriptionId,
  hasWebhooks,
  endpoints,
  waiting,
  form,
}: {
  subscriptionId: number;
  /** Whether a plan in force includes webhooks. */
  hasWebhooks: boolean;
  endpoints: EndpointRow[];
  waiting: ReadonlyMap<number, number>;
  form: FormState;
}) {
  const shopUrl = subscriberShopUrl(subscriptionId);
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
              <LinkButton href={paths.docs("webhooks-out")}>About webhooks</LinkButton>
            </>
          }
        >
          With webhooks we post signals and results to your own server as soon as they exist.
        </EmptyState>
      </Card>
    );
  }
  return (
    <Card
      title="Webhooks"
      lead={`We post each event to your server: signed, in order, and again until it is accepted. Up to ${MAX_ENDPOINTS} endpoints.`}
      actions={
        <LinkButton href={paths.docs("webhooks-out")} size="small">
          How to receive them
        </LinkButton>
      }
      flush
    >
      {endpoints.length > 0 && (
        <DataTable
          caption="Your endpoints"
          columns={columns(waiting)}
          rows={endpoints}
          rowKey={(row) => row.endpointId}
        />
      )}
      {endpoints.length >= MAX_ENDPOINTS ? (
        <p className="border-t px-4 py-4 text-sm text-muted sm:px-6">
          You have {MAX_ENDPOINTS} endpoints, which is the maximum. Delete one to add another.
        </p>
      ) : (
        <div className={endpoints.length > 0 ? "border-t px-4 py-5 sm:px-6" : "px-4 py-5 sm:px-6"}>
          <h3 className="mb-4 text-base">{endpoints.length > 0 ? "Another endpoint" : "First endpoint"}</h3>
          <form method="post" action={paths.portalDeliveryForm("create-webhook")} className="space-y-6">
            <ShownSubscriptionField />
            <EndpointFields form={form} stored={{ url: "", events: ["signal.created", "signal.resolved"] }} />
            <Button type="submit" variant="primary">
              Add endpoint
            </Button>
            <p className="text-sm text-muted">Its secret is shown once, on the next page.</p>
          </form>
        </div>
      )}
    </Card>
  );
}

const columns = (waiting: ReadonlyMap<number, number>): Column<EndpointRow>[] => [
  {
    key: "url",
    header: "Address",
    primary: true,
    cell: (row) => (
      <a href={paths.portalWebhook(row.endpointId)} className="link break-all">
        {row.url}
      </a>
    ),
  },
  { key: "events", header: "Events", cell: (row) => row.events.join(", ") },
  { key: "state", header: "State", cell: (row) => <EndpointStatePill endpoint={row} /> },
  { key: "waiting", header: "Waiting", align: "right", cell: (row) => waiting.get(row.endpointId) ?? 0 },
];
