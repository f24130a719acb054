/** No traffic goes through simulated load balancers. */
export const ZERO_STATISTICS = {
  bytes_in: 0,
  bytes_out: 0,
  active_connections: 0,
  total_connections: 0,
  request_errors: 0,
} as const;
