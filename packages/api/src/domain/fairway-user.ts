/** The user name of Fairway's own controllers in tenant clusters. */
export const FAIRWAY_USER = 'fairway:controllers';
