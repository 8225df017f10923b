// Whether the service tells connection strings. What it tells is dropped at once.
import type { Compute } from '../../model/compute.ts'
import { ok } from '../../model/result.ts'
import { itemsAt, textAt } from './records.ts'
import type { Probe, Seen } from './seen.ts'

export async function connectionUri(
  { client, service, mayAskUri, signal }: Probe,
  computes: readonly Compute[],
): Promise<Seen['connectionUri']> {
  if (!mayAskUri) return { unasked: 'service.use_connection_uri does not allow it' }
  const [compute] = computes
  if (!compute) return { unasked: 'there is no compute to ask about' }
  const { projectId, branchId, endpointId } = compute
  const path = `projects/${encodeURIComponent(projectId)}/branches/${encodeURIComponent(branchId)}/databases`
  const databases = await client.read({ operation: 'list_databases', path }, signal)
  if (!databases.ok) return databases
  const [first] = itemsAt(databases.value, 'databases')
  const [database, role] = [textAt(first, 'name'), textAt(first, 'owner_name')]
  if (database === undefined || role === undefined) return { unasked: 'its branch has no database' }
  const uri = await service.getConnectionUri(projectId, { endpointId, database, role }, signal)
  return uri.ok ? ok(true) : uri
}
