/** Maximum message length of Events in Kubernetes, and of Fairway's marks. */
export const MAX_MESSAGE_LENGTH = 1024;

/** A message truncated to the maximum length, with an ellipsis if truncated. */
export function truncate(message: string, maxLength = MAX_MESSAGE_LENGTH): string {
  return message.length > maxLength ? `${message.slice(0, maxLength - 3)}...` : message;
}
