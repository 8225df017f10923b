// Whether the service tells connection strings, asked as readings will ask. What it tells is dropped at once.
import type { Compute } from '../../model/service/compute.ts'
import { ok } from '../../std/result.ts'
import type { Probe, ProbeResult } from './probe-result.ts'

export async function probeConnectionUri(
  { service, reader, signal }: Probe,
  computes: readonly Compute[],
): Promise<ProbeResult['connectionUri']> {
  if ('unasked' in reader) return reader
  const [compute] = computes
  if (!compute) return { unasked: 'there is no compute to ask about' }
  const { projectId, endpointId } = compute
  const uri = await service.getConnectionUri(projectId, { endpointId, ...reader }, signal)
  return uri.ok ? ok(reader) : uri
}
