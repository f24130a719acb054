/** A duration in the format that `kubectl get` uses for ages; k8s.io/apimachinery/pkg/util/duration.HumanDuration. */
export function humanDuration(spanMs: number): string {
  const seconds = Math.floor(spanMs / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 60 * 2) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRemainder(minutes, 'm', seconds % 60, 's');
  if (minutes < 60 * 3) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRemainder(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 24 * 8) return withRemainder(days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.floor(hours / 24 / 365);
  if (hours < 24 * 365 * 8) return withRemainder(years, 'y', Math.floor(hours / 24) % 365, 'd');
  return `${years}y`;
}

function withRemainder(count: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${count}${unit}` : `${count}${unit}${rest}${restUnit}`;
}
