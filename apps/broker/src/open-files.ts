/** How many descriptors the logs may take when nobody says it: the connections need some as well. */
import { LIMITS } from "@minikafka/core";

/** Half of what the system allows this process, and no more than the kernel's default. */
export function openFilesDefault(allowed: unknown = descriptorsAllowed()): number {
  if (typeof allowed !== "number") return LIMITS.openFilesDefault;
  return Math.max(LIMITS.openFilesMin, Math.min(LIMITS.openFilesDefault, Math.floor(allowed / 2)));
}

/** Node has raised its own limit as far as it could before this is asked. Windows has none, others may say "unlimited". */
function descriptorsAllowed(): unknown {
  const report: unknown = process.report.getReport();
  const { userLimits } = report as { userLimits?: { open_files?: { soft?: unknown } } };
  return userLimits?.open_files?.soft;
}
