import { findPort, isExternalName, portList } from "./backends.js";
import type { BuildContext } from "./config-builder.js";

/** The Service of the option errorPageService becomes an upstream. */
export function addGatewayPages({ options, resources, backends, diagnostics }: BuildContext): void {
  const reference = options.errorPages?.service;
  if (reference === undefined) return;
  backends.add(reference);
  const { namespace, name, port } = reference;
  const service = resources.get("Service", namespace, name);
  const subject = `Service ${namespace}/${name}`;
  const problem =
    service === undefined
      ? `there is no ${subject}`
      : isExternalName(service)
        ? `${subject} is of type ExternalName`
        : findPort(service, port) === undefined
          ? `${subject} has no TCP port ${String(port)}; it has ${portList(service)}`
          : undefined;
  if (problem === undefined) return;
  diagnostics.report({ code: "SERVICE_NOT_FOUND", message: `option errorPageService: ${problem}` });
}
