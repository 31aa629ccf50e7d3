/** GET /metrics: what is counted and measured, in the format that is accepted. */
import type { Endpoint } from "../endpoint.ts";
import { addClusterMetrics } from "../metrics/cluster-metrics.ts";
import { exposed, formatFor } from "../metrics/exposition.ts";
import { addGroupMetrics } from "../metrics/group-metrics.ts";
import { MetricsPage } from "../metrics/metrics-page.ts";
import { addOwnMetrics } from "../metrics/own-metrics.ts";
import { addPartitionMetrics } from "../metrics/partition-metrics.ts";
import { addProcessMetrics } from "../metrics/process-metrics.ts";
import { requireWhole } from "../whole.ts";

export const metrics: Endpoint = {
  query: [],
  serve: ({ accept }, site) => {
    requireWhole(site);
    const page = new MetricsPage();
    const { cluster } = site.context;
    addClusterMetrics(page, cluster);
    addPartitionMetrics(page, cluster);
    addGroupMetrics(page, cluster);
    site.counted.addTo(page);
    addOwnMetrics(page, site);
    addProcessMetrics(page);
    const format = formatFor(accept);
    return { status: 200, headers: { "content-type": format.type }, body: exposed(page, format) };
  },
};
