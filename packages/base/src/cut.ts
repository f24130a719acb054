/** The longest message of an Event that a Kubernetes API server takes, and of Fairway's marks. */
export const MAX_MESSAGE_LENGTH = 1024;

/** A message that is as long as it may be, with an ellipsis where something is missing. */
export function cut(message: string, maxLength = MAX_MESSAGE_LENGTH): string {
  return message.length > maxLength ? `${message.slice(0, maxLength - 3)}...` : message;
}
